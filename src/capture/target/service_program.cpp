// SPDX-License-Identifier: Apache-2.0
#include "capture/target/service_program.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/path_names.h"
#include "language/languages.h"

namespace atys::capture {

namespace {

using language::Interpreter;
using language::Words;
using Plain = Interpreter::Plain;

constexpr std::string_view kManyPrograms[] = {"busybox", "toybox"};  // one file; the first word says which it is

bool has_word(std::span<const std::string_view> list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

bool has_letter(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](unsigned char c) { return std::isalpha(c) != 0; });
}

// "-bash" is how a login shell is called.
std::string_view first_word(const linux::ProcessInfo& process) {
  if (process.command_line.empty()) return {};
  std::string_view word = base_name(process.command_line.front());
  if (word.starts_with('-')) word.remove_prefix(1);
  return word;
}

std::string_view program_of(const linux::ProcessInfo& process) {
  const std::string_view program = base_name(process.executable.empty() ? process.comm : process.executable);
  // A file named by its version alone, or that is a hundred programs.
  if (has_word(kManyPrograms, program) || !has_letter(program))
    return has_letter(first_word(process)) ? first_word(process) : std::string_view(process.comm);
  return program;
}

// What it runs, as its command line says it.
struct Told {
  enum class As { Program, File, Name, Code };
  As as = As::Program;
  std::string_view text;
  const Interpreter* by = nullptr;  // of a name: who looks for it
};

// A process that has written over its command line, e.g. "gunicorn: worker [shop]"; nothing: it has not.
std::optional<Told> told_by_title(std::string_view program, std::string_view title) {
  if (title.starts_with('/')) return std::nullopt;
  if (title.starts_with('-')) title.remove_prefix(1);
  const std::string_view word = title.substr(0, title.find_first_of(" :[("));
  if (word.empty() || word == program || language::find_interpreter(word) != nullptr) return std::nullopt;
  return Told{Told::As::Name, word};
}

// What follows an option, and what of it does so at once.
struct Option {
  enum class Takes { Nothing, Word, Code, File, Name };
  Takes takes = Takes::Nothing;
  std::string_view attached;
};

Option::Takes taken_by(const Interpreter& interpreter, std::string_view option) {
  if (has_word(interpreter.file_follows, option)) return Option::Takes::File;
  if (has_word(interpreter.name_follows, option)) return Option::Takes::Name;
  if (has_word(interpreter.code_follows, option)) return Option::Takes::Code;
  return has_word(interpreter.takes_word, option) ? Option::Takes::Word : Option::Takes::Nothing;
}

Option read_option(const Interpreter& interpreter, std::string_view word) {
  if (const std::string_view file = interpreter.file_is_attached; !file.empty() && word.starts_with(file))
    return {Option::Takes::File, word.substr(file.size())};
  if (!interpreter.has_clusters || word.starts_with("--")) return {taken_by(interpreter, word), {}};
  for (size_t i = 1; i < word.size(); ++i) {
    const char option[] = {'-', word[i]};
    if (const auto takes = taken_by(interpreter, {option, 2}); takes != Option::Takes::Nothing)
      return {takes, word.substr(i + 1)};
  }
  return {};
}

Told told_by_words(const language::KnownInterpreter& known, const std::vector<std::string>& words) {
  const Interpreter& interpreter = *known.facts;
  for (size_t i = 1; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == "-") break;  // it comes by a pipe
    if (word.starts_with('-')) {
      const auto [takes, attached] = read_option(interpreter, word);
      const bool is_next = takes != Option::Takes::Nothing && attached.empty();
      const std::string_view taken = !is_next ? attached : i + 1 < words.size() ? std::string_view(words[i + 1]) : "";
      if (takes == Option::Takes::File) return {Told::As::File, taken};
      if (takes == Option::Takes::Name) return {Told::As::Name, taken, &interpreter};
      if (takes == Option::Takes::Code) break;
      if (is_next) ++i;
    } else if (has_word(interpreter.code_follows, word)) {
      break;
    } else if (!word.empty() && !word.starts_with('@') && !has_word(interpreter.verbs, word)) {
      if (interpreter.plain == Plain::Nothing) continue;
      const bool is_file = interpreter.plain == Plain::File || language::language_of_file(word) == known.language;
      return {is_file ? Told::As::File : Told::As::Name, word, &interpreter};
    }
  }
  return {Told::As::Code, {}};
}

Told told_by(const linux::ProcessInfo& process) {
  const std::string_view program = program_of(process);
  const language::KnownInterpreter* interpreter = language::find_interpreter(program);
  if (interpreter == nullptr) return {Told::As::Program, program};
  std::vector<std::string> words = process.command_line;
  while (!words.empty() && words.back().empty()) words.pop_back();  // room that a longer command line had
  if (words.size() == 1)
    if (const auto title = told_by_title(program, process.command_line.front())) return *title;
  const Told told = told_by_words(*interpreter, process.command_line);
  if (told.as != Told::As::Code) return told;
  return {interpreter->facts->is_shell ? Told::As::Program : Told::As::Code, program};
}

// "/srv/./a/../b" is "/srv/b".
std::string path_from(std::string_view folder, std::string_view path) {
  const std::string whole = path.starts_with('/') ? std::string(path) : std::string(folder) + "/" + std::string(path);
  std::vector<std::string_view> parts;
  for (size_t at = 0; at < whole.size();) {
    const size_t end = std::min(whole.find('/', at), whole.size());
    const std::string_view part = std::string_view(whole).substr(at, end - at);
    if (part == ".." && !parts.empty()) parts.pop_back();
    if (!part.empty() && part != "." && part != "..") parts.push_back(part);
    at = end + 1;
  }
  std::string out;
  for (const std::string_view part : parts) out += "/" + std::string(part);
  return out.empty() ? "/" : out;
}

std::string parent_of(std::string_view path) {
  const size_t slash = path.find_last_of('/');
  if (slash == std::string_view::npos) return {};
  return slash == 0 ? "/" : std::string(path.substr(0, slash));
}

std::string shell_folder(pid_t pid, ProcessFacts& facts) {
  constexpr std::string_view kName = "PWD=";
  for (const std::string& variable : facts.environment(pid))
    if (variable.starts_with(kName)) return variable.substr(kName.size());
  return {};
}

// The folder that a relative path was meant from. One that works elsewhere by now was started, as a rule, by a shell.
std::string started_in(pid_t pid, std::string_view path, ProcessFacts& facts) {
  std::string now = facts.working_folder(pid);
  if (now.empty() || facts.has_file(pid, path_from(now, path))) return now;
  const std::string before = shell_folder(pid, facts);
  return before.starts_with('/') && facts.has_file(pid, path_from(before, path)) ? before : now;
}

std::string folder_of_file(pid_t pid, std::string_view path, ProcessFacts& facts) {
  std::string from;
  if (!path.starts_with('/')) {
    from = started_in(pid, path, facts);
    if (from.empty()) return {};
  }
  std::string folder = parent_of(path_from(from, path));
  static const Words kProgramFolders = language::words_of_all(&language::Language::program_folders);
  if (!has_word(kProgramFolders, base_name(folder))) return folder;
  const std::string works_in = facts.working_folder(pid);
  return works_in.empty() || works_in == "/" ? folder : works_in;
}

// The first entry of the path on which names are looked for, a class path say.
std::string_view first_of_path(const Words& path_follows, const std::vector<std::string>& words) {
  for (size_t i = 1; i + 1 < words.size(); ++i) {
    if (!has_word(path_follows, words[i])) continue;
    const std::string_view path = words[i + 1];
    return path.substr(0, path.find(':'));
  }
  return {};
}

bool is_archive(std::string_view path) {
  static const Words kArchives = language::words_of_all(&language::Language::archives);
  return path.ends_with(".zip") || std::ranges::any_of(kArchives, [&](auto archive) { return path.ends_with(archive); });
}

std::string folder_of_name(const linux::ProcessInfo& process, const Interpreter* by, ProcessFacts& facts) {
  std::string_view looked_for = by == nullptr ? "" : first_of_path(by->path_follows, process.command_line);
  if (looked_for.ends_with("/*")) looked_for.remove_suffix(2);
  if (looked_for.empty() || !looked_for.starts_with('/')) {
    const std::string works_in = facts.working_folder(process.pid);
    if (looked_for.empty() || works_in.empty()) return works_in;
    const std::string path = path_from(works_in, looked_for);
    return is_archive(looked_for) ? parent_of(path) : path;
  }
  return is_archive(looked_for) ? parent_of(path_from({}, looked_for)) : path_from({}, looked_for);
}

}  // namespace

std::string program_name(const linux::ProcessInfo& process) {
  const Told told = told_by(process);
  std::string_view name = told.text;
  if (told.as == Told::As::Name) {
    name = name.substr(0, name.find('@'));  // the node of Erlang
    if (const size_t slash = name.rfind('/'); slash + 1 < name.size())
      name.remove_prefix(slash + 1);  // of Java: MODULE/CLASS
  } else {
    name = base_name(name);
  }
  return std::string(name.empty() ? program_of(process) : name);
}

std::string program_folder(const linux::ProcessInfo& process, ProcessFacts& facts) {
  const Told told = told_by(process);
  switch (told.as) {
    case Told::As::Program: return parent_of(process.executable);
    case Told::As::File: return folder_of_file(process.pid, told.text, facts);
    case Told::As::Name: return folder_of_name(process, told.by, facts);
    case Told::As::Code: return facts.working_folder(process.pid);
  }
  return {};
}

}  // namespace atys::capture

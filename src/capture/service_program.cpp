// SPDX-License-Identifier: Apache-2.0
#include "capture/service_program.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>
#include <vector>

namespace atys::capture {

namespace {

// What a word that is no option stands for.
enum class Plain { File, Name, Nothing };

// Programs whose own name says nothing of what they do, and how their command lines are read. Lists have blanks between.
struct Interpreter {
  std::string_view names;
  std::string_view takes_word;    // options that the next word belongs to
  std::string_view code_follows;  // options that are followed by code, not by a file
  std::string_view file_follows;  // options that are followed by what it runs
  std::string_view name_follows;  // the same, by a name that it looks for
  std::string_view verbs;         // words before what it runs
  Plain plain = Plain::File;
  bool has_clusters = false;  // "-uc" is "-u -c", and what an option takes may follow at once
  bool is_shell = false;
};

constexpr std::array<Interpreter, 14> kInterpreters{{
    {.names = "python pypy",
     .takes_word = "-X -W -Q --check-hash-based-pycs",
     .code_follows = "-c",
     .name_follows = "-m",
     .has_clusters = true},
    {.names = "java",
     .takes_word = "-cp -classpath --class-path -p --module-path --add-modules --add-opens --add-exports --add-reads "
                   "--limit-modules --upgrade-module-path --patch-module --source",
     .file_follows = "-jar",
     .name_follows = "-m --module",
     .plain = Plain::Name},
    {.names = "node nodejs",
     .takes_word = "-r --require --import --loader --experimental-loader -C --conditions",
     .code_follows = "-e --eval -p --print -pe"},
    {.names = "deno bun",
     .takes_word = "-c --config --import-map",
     .code_follows = "-e --eval eval",
     .verbs = "run exec serve"},
    {.names = "ruby", .takes_word = "-C -I -r", .code_follows = "-e", .has_clusters = true},
    {.names = "php", .takes_word = "-d -c -z -S -t", .code_follows = "-r -B -R -E", .file_follows = "-f -F"},
    {.names = "perl", .takes_word = "-I", .code_follows = "-e -E", .has_clusters = true},
    {.names = "bash sh dash ash zsh ksh",
     .takes_word = "-o -O --rcfile --init-file",
     .code_follows = "-c",
     .has_clusters = true,
     .is_shell = true},
    {.names = "dotnet mono",
     .takes_word = "--additionalprobingpath --depsfile --runtimeconfig --fx-version --project",
     .verbs = "exec run"},
    {.names = "lua luajit", .takes_word = "-l", .code_follows = "-e", .has_clusters = true},
    {.names = "julia", .takes_word = "-J -t -p -L", .code_follows = "-e -E --eval"},
    {.names = "R Rscript", .takes_word = "-g", .code_follows = "-e", .file_follows = "-f"},
    {.names = "tclsh wish guile", .code_follows = "-c"},
    {.names = "beam.smp", .name_follows = "-sname -name", .plain = Plain::Nothing},
}};
constexpr std::string_view kManyPrograms = "busybox toybox";  // one file; the first word says which it is
constexpr std::string_view kBinFolders = "bin sbin .bin libexec Scripts";
constexpr std::string_view kFileOption = "--file=";  // of R

std::string_view base_name(std::string_view path) { return path.substr(path.find_last_of('/') + 1); }

bool has_word(std::string_view list, std::string_view word) {
  while (!word.empty() && !list.empty()) {
    const size_t end = std::min(list.find(' '), list.size());
    if (list.substr(0, end) == word) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

bool has_letter(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](unsigned char c) { return std::isalpha(c) != 0; });
}

// "python3.11" is python
const Interpreter* find_interpreter(std::string_view program) {
  while (!program.empty() && (std::isdigit(static_cast<unsigned char>(program.back())) != 0 || program.back() == '.'))
    program.remove_suffix(1);
  const auto* found = std::find_if(kInterpreters.begin(), kInterpreters.end(),
                                   [&](const Interpreter& one) { return has_word(one.names, program); });
  return found == kInterpreters.end() ? nullptr : found;
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
};

// A process that has written over its command line, e.g. "gunicorn: worker [shop]"; nothing: it has not.
std::optional<Told> told_by_title(std::string_view program, std::string_view title) {
  if (title.starts_with('/')) return std::nullopt;
  if (title.starts_with('-')) title.remove_prefix(1);
  const std::string_view word = title.substr(0, title.find_first_of(" :[("));
  if (word.empty() || word == program || find_interpreter(word) != nullptr) return std::nullopt;
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
  if (word.starts_with(kFileOption)) return {Option::Takes::File, word.substr(kFileOption.size())};
  if (!interpreter.has_clusters || word.starts_with("--")) return {taken_by(interpreter, word), {}};
  for (size_t i = 1; i < word.size(); ++i) {
    const char option[] = {'-', word[i]};
    if (const auto takes = taken_by(interpreter, {option, 2}); takes != Option::Takes::Nothing)
      return {takes, word.substr(i + 1)};
  }
  return {};
}

Told told_by_words(const Interpreter& interpreter, const std::vector<std::string>& words) {
  for (size_t i = 1; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == "-") break;  // it comes by a pipe
    if (word.starts_with('-')) {
      const auto [takes, attached] = read_option(interpreter, word);
      const bool is_next = takes != Option::Takes::Nothing && attached.empty();
      const std::string_view taken = !is_next ? attached : i + 1 < words.size() ? std::string_view(words[i + 1]) : "";
      if (takes == Option::Takes::File) return {Told::As::File, taken};
      if (takes == Option::Takes::Name) return {Told::As::Name, taken};
      if (takes == Option::Takes::Code) break;
      if (is_next) ++i;
    } else if (has_word(interpreter.code_follows, word)) {
      break;
    } else if (!word.empty() && !word.starts_with('@') && !has_word(interpreter.verbs, word)) {
      if (interpreter.plain == Plain::Nothing) continue;
      return {interpreter.plain == Plain::Name && !word.ends_with(".java") ? Told::As::Name : Told::As::File, word};
    }
  }
  return {Told::As::Code, {}};
}

Told told_by(const linux::ProcessInfo& process) {
  const std::string_view program = program_of(process);
  const Interpreter* interpreter = find_interpreter(program);
  if (interpreter == nullptr) return {Told::As::Program, program};
  std::vector<std::string> words = process.command_line;
  while (!words.empty() && words.back().empty()) words.pop_back();  // room that a longer command line had
  if (words.size() == 1)
    if (const auto title = told_by_title(program, process.command_line.front())) return *title;
  const Told told = told_by_words(*interpreter, process.command_line);
  if (told.as != Told::As::Code) return told;
  return {interpreter->is_shell ? Told::As::Program : Told::As::Code, program};
}

// "/srv/./a/../b" is "/srv/b".
std::string joined(std::string_view folder, std::string_view path) {
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
  if (now.empty() || facts.has_file(pid, joined(now, path))) return now;
  const std::string before = shell_folder(pid, facts);
  return before.starts_with('/') && facts.has_file(pid, joined(before, path)) ? before : now;
}

std::string folder_of_file(pid_t pid, std::string_view path, ProcessFacts& facts) {
  std::string from;
  if (!path.starts_with('/')) {
    from = started_in(pid, path, facts);
    if (from.empty()) return {};
  }
  std::string folder = parent_of(joined(from, path));
  if (!has_word(kBinFolders, base_name(folder))) return folder;
  const std::string works_in = facts.working_folder(pid);
  return works_in.empty() || works_in == "/" ? folder : works_in;
}

// Of the first entry of a class path.
std::string_view class_path(const std::vector<std::string>& words) {
  for (size_t i = 1; i + 1 < words.size(); ++i) {
    if (!has_word("-cp -classpath --class-path -p --module-path", words[i])) continue;
    const std::string_view path = words[i + 1];
    return path.substr(0, path.find(':'));
  }
  return {};
}

std::string folder_of_name(const linux::ProcessInfo& process, ProcessFacts& facts) {
  std::string_view looked_for = class_path(process.command_line);
  if (looked_for.ends_with("/*")) looked_for.remove_suffix(2);
  const bool is_file = looked_for.ends_with(".jar") || looked_for.ends_with(".zip");
  if (looked_for.empty() || !looked_for.starts_with('/')) {
    const std::string works_in = facts.working_folder(process.pid);
    if (looked_for.empty() || works_in.empty()) return works_in;
    const std::string path = joined(works_in, looked_for);
    return is_file ? parent_of(path) : path;
  }
  return is_file ? parent_of(joined({}, looked_for)) : joined({}, looked_for);
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
    case Told::As::Name: return folder_of_name(process, facts);
    case Told::As::Code: return facts.working_folder(process.pid);
  }
  return {};
}

}  // namespace atys::capture

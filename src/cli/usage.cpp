// SPDX-License-Identifier: Apache-2.0
#include "cli/usage.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <utility>

#include "base/nearest.h"
#include "cli/arguments.h"
#include "language/languages.h"
#include "verbs/view/follow_up.h"

namespace atys::cli {

namespace {

// What other tools call it.
constexpr std::pair<std::string_view, std::string_view> kElsewhere[] = {
    {"record", "capture"}, {"run", "capture"},    {"profile", "capture"},   {"start", "capture"},     {"report", "summary"},
    {"stat", "summary"},   {"ls", "list"},        {"rm", "remove"},         {"delete", "remove"},     {"info", "show"},
    {"script", "convert"}, {"export", "convert"}, {"graph", "flame"},       {"flamegraph", "flame"},  {"svg", "flame"},
    {"live", "top"},       {"check", "doctor"},   {"version", "--version"}, {"server", "controller"}, {"bench", "compare"},
};

bool is_folder(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

bool is_file(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

std::string as_path(const std::string& word) {
  return verbs::quote_for_shell(word.find('/') == std::string::npos ? "./" + word : word);
}

// "python3 x.py"; empty: it is no script that we know.
std::string with_interpreter(const std::string& word) {
  for (const language::RunBy& run_by : language::rows_of_all(&language::Language::run_by))
    if (word.ends_with(run_by.extension)) return std::string(run_by.command) + " " + verbs::quote_for_shell(word);
  return {};
}

std::string what_to_do_with_file(const std::string& word) {
  if (!is_file(word)) return {};
  if (::access(word.c_str(), X_OK) == 0) return "to record it: atys capture " + as_path(word);
  if (const std::string script = with_interpreter(word); !script.empty()) return "to record it: atys capture " + script;
  return "to see what costs the most in it: atys summary " + verbs::quote_for_shell(word);
}

// "#!/usr/bin/env x" without the mark; empty: it does not begin like that.
std::string interpreter_of(const std::string& path) {
  constexpr size_t kLongest = 100;
  std::ifstream file(path, std::ios::binary);
  char bytes[kLongest] = {};
  file.read(bytes, sizeof(bytes));
  const std::string_view text(bytes, static_cast<size_t>(file.gcount()));
  if (!text.starts_with("#!")) return {};
  return std::string(text.substr(2, text.find_first_of("\r\n") - 2));
}

std::string hint_for_unfound(const std::string& word) {
  const bool has_slash = word.find('/') != std::string::npos;
  if (word.find_first_not_of("0123456789") == std::string::npos)
    return "to record process " + word + ": atys capture --pid " + word;
  if (is_file(word) && has_slash) {
    const std::string interpreter = interpreter_of(word);
    return interpreter.empty() ? "the file is there, but the loader or library that it asks for is not"
                               : "the file is there, but what its first line says runs it is not: " + interpreter;
  }
  if (is_file(word)) {
    const std::string script = ::access(word.c_str(), X_OK) == 0 ? "" : with_interpreter(word);
    if (!script.empty()) return "a script is run by its interpreter: atys capture " + script;
    return "it is not on PATH; the file in this folder is " + as_path(word);
  }
  if (is_folder(word)) return "it is a folder: name the program in it";
  if (word.find(' ') != std::string::npos)
    return "it is one word, with spaces: leave the quotes out, or say sh -c " + verbs::quote_for_shell(word);
  return has_slash ? "check the path" : "no program of that name is on PATH";
}

std::string hint_for_refused(const std::string& word) {
  if (is_folder(word)) return "it is a folder: name the program in it";
  if (!is_file(word)) return "check the path, and the permissions of its folders";
  if (const std::string script = with_interpreter(word); !script.empty())
    return "a script that is no program is run by its interpreter: atys capture " + script;
  return "is it a program? chmod +x makes a file one";
}

}  // namespace

Error explain_not_run(Error error, const std::vector<std::string>& command) {
  if (command.empty() || !error.message.starts_with("run " + command.front() + ": ")) return error;
  error.hint = error.code == ErrorCode::NotFound ? hint_for_unfound(command.front()) : hint_for_refused(command.front());
  return error;
}

Error no_such_verb(const std::string& word) {
  if (looks_like_option(word))
    return fail(ErrorCode::InvalidInput, word + " stands where the verb should",
                "write atys VERB, then its options; atys help lists the verbs");
  const std::string message = "no verb is called '" + word + "'";
  if (const std::string hint = what_to_do_with_file(word); !hint.empty())
    return fail(ErrorCode::InvalidInput, message, hint);
  for (const auto& [theirs, ours] : kElsewhere)
    if (word == theirs) return fail(ErrorCode::InvalidInput, message, "did you mean " + std::string(ours) + "?");
  return fail(ErrorCode::InvalidInput, message, did_you_mean(word, verb_names(), "atys help lists the verbs"));
}

Error usage_error(const CLI::ParseError& error, const Manual& manual) {
  std::string message = error.what();
  std::string hint = "see atys " + std::string(manual.name) + " --help";
  if (const size_t line_break = message.find('\n'); line_break != std::string::npos) {
    if (line_break + 1 < message.size()) hint = message.substr(line_break + 1);
    message.resize(line_break);
  }
  // "Could not convert: --seed = abc"
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) {
    const size_t colon = message.find(": ");
    const size_t equals = message.find(" = ");
    if (colon != std::string::npos && equals != std::string::npos)
      message = message.substr(colon + 2, equals - colon - 2) + ": '" + message.substr(equals + 3) + "' is not a number";
  }
  return fail(ErrorCode::InvalidInput, message, hint);
}

}  // namespace atys::cli

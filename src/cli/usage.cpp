// SPDX-License-Identifier: Apache-2.0
#include "cli/usage.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/nearest.h"
#include "cli/arguments.h"
#include "verbs/follow_up.h"

namespace atys::cli {

namespace {

// What other tools call it.
constexpr std::pair<std::string_view, std::string_view> kElsewhere[] = {
    {"record", "capture"}, {"run", "capture"},    {"profile", "capture"},   {"start", "capture"},     {"report", "summary"},
    {"stat", "summary"},   {"ls", "list"},        {"rm", "remove"},         {"delete", "remove"},     {"info", "show"},
    {"script", "convert"}, {"export", "convert"}, {"graph", "flame"},       {"flamegraph", "flame"},  {"svg", "flame"},
    {"live", "top"},       {"check", "doctor"},   {"version", "--version"}, {"server", "controller"}, {"bench", "compare"},
};

std::string what_to_do_with_file(const std::string& word) {
  struct stat status {};
  if (::stat(word.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  const std::string quoted = verbs::quote_for_shell(word);
  if (::access(word.c_str(), X_OK) == 0)
    return "to record it: atys capture " + (word.find('/') == std::string::npos ? "./" + quoted : quoted);
  return "to see what costs the most in it: atys summary " + quoted;
}

}  // namespace

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

// SPDX-License-Identifier: Apache-2.0
// The words behind a verb, told apart before they are parsed: options of ours, their values, and where a command of the
// user's begins. What follows there is handed over as it is: no option of the command is ever taken for ours.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/subcommand.h"

namespace atys::cli {

// Follows the words one by one. Knows at each moment what the next word would be, which is what completion asks for.
class WordWalk {
 public:
  enum class Kind { Option, UnknownOption, Value, Positional, Mark, Command };

  WordWalk(const CLI::App& app, const Manual& manual) : app_(&app), manual_(&manual) {}

  Kind take(const std::string& word);

  // The option whose value the next word is, whatever it looks like; null: it is none.
  const CLI::Option* wants_value() const { return wants_ > 0 ? open_ : nullptr; }
  // The option of which the next word may be one more value.
  const CLI::Option* may_take_value() const { return open_; }
  // How many positionals there were; behind the mark, words of the command.
  size_t positionals() const { return positionals_; }
  // Whether the next word, if it is no option, would be of a command.
  bool is_in_command() const { return is_in_command_; }
  bool would_begin_command() const;
  const std::vector<const CLI::Option*>& seen() const { return seen_; }

 private:
  Kind take_option(const std::string& word);

  const CLI::App* app_;
  const Manual* manual_;
  const CLI::Option* open_ = nullptr;
  int wants_ = 0;
  size_t positionals_ = 0;
  bool is_in_command_ = false;
  std::vector<const CLI::Option*> seen_;
};

struct Arguments {
  std::vector<std::string> own;      // options and positionals of the verb
  std::vector<std::string> command;  // the user's command
  // Options of ours among the words of a command that was written without --: who wrote them may have meant us.
  std::vector<std::string> like_ours;
};

// Fails for an option that there is not, with one that may have been meant; for one that is given twice, or without a value.
Result<Arguments> tell_apart(const CLI::App& app, const Manual& manual, const std::vector<std::string>& words);

// The option that a word names ("--top", "--top=5", "-o", "-ofile"); null: none. `value` is what the word itself holds.
const CLI::Option* option_of(const CLI::App& app, const std::string& word, std::string* value = nullptr);
bool is_flag(const CLI::Option& option);
// May be given, or have values, more than once.
bool is_list(const CLI::Option& option);
bool looks_like_option(std::string_view word);

}  // namespace atys::cli

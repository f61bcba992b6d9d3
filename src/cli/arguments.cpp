// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments.h"

#include <algorithm>

#include "base/nearest.h"
#include "base/strings.h"

namespace atys::cli {

namespace {

bool is_numeric(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789,") == std::string_view::npos;
}

// As it is shown: "--output", not "-o".
std::string long_name(const CLI::Option& option) {
  return option.get_lnames().empty() ? option.get_name() : "--" + option.get_lnames().front();
}

std::vector<std::string> long_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    if (!option->get_group().empty())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

Error no_such_option(const CLI::App& app, const Manual& manual, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  const std::string verb = "atys " + std::string(manual.name);
  if (name == "--version") return fail(ErrorCode::InvalidInput, "--version is no option of " + verb, "atys --version");
  // A dash too few is the likeliest slip of all.
  const std::string wanted = name.starts_with("--") ? name : "-" + name;
  return fail(
      ErrorCode::InvalidInput, name + " is no option of " + verb,
      did_you_mean(wanted, wanted.size() > 3 ? long_names(app) : std::vector<std::string>{}, "see " + verb + " --help"));
}

// How many positionals a verb takes; SIZE_MAX: any number.
size_t most_positionals(const CLI::App& app) {
  size_t count = 0;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_positional()) continue;
    if (is_list(*option)) return SIZE_MAX;
    ++count;
  }
  return count;
}

Error too_many(const CLI::App& app, const Manual& manual, const std::string& word) {
  std::string known;
  for (const CLI::Option* option : app.get_options())
    if (option->get_positional()) add_to_list(known, option->get_name(true), " and ");
  const std::string verb = "atys " + std::string(manual.name);
  return fail(ErrorCode::InvalidInput, "'" + word + "' is one word too many",
              verb + (known.empty() ? " takes options alone" : " takes one " + known) + "; see " + verb + " --help");
}

Error no_value(const CLI::Option& option, const Manual& manual) {
  return fail(
      ErrorCode::InvalidInput, long_name(option) + " has no value",
      "write " + long_name(option) + " " + option.get_type_name() + "; see atys " + std::string(manual.name) + " --help");
}

Error is_empty(const std::string& what) {
  return fail(ErrorCode::InvalidInput, what + " is empty", "is a variable of your script not set?");
}

// Which positional a word is, the first being 0.
std::string positional_name(const CLI::App& app, size_t index) {
  std::string name = "a word";
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_positional()) continue;
    name = option->get_name(true);
    if (index-- == 0) break;
  }
  return name;
}

// An empty pattern or text is one; an empty anything else was meant to be something.
bool may_be_empty(const CLI::Option& option) { return option.get_type_name() == "RE" || option.get_type_name() == "TEXT"; }

// `open` is the option whose value the word may be.
Result<> check_not_empty(const CLI::App& app, const WordWalk& walk, const CLI::Option* open, WordWalk::Kind kind,
                         const std::string& word) {
  const bool holds_nothing = word.starts_with("--") && word.ends_with('=') && word.find('=') + 1 == word.size();
  if (kind == WordWalk::Kind::Option && holds_nothing && !is_flag(*walk.seen().back())) return is_empty(word);
  if (!word.empty()) return {};
  if (kind == WordWalk::Kind::Value && !may_be_empty(*open)) return is_empty(long_name(*open));
  if (kind == WordWalk::Kind::Positional) return is_empty(positional_name(app, walk.positionals() - 1));
  return {};
}

}  // namespace

bool looks_like_option(std::string_view word) {
  // A dash alone is standard input; -5 is a number.
  return word.size() > 1 && word[0] == '-' && word != "--" && !(word[1] >= '0' && word[1] <= '9');
}

bool is_flag(const CLI::Option& option) { return option.get_items_expected_max() == 0; }

bool is_list(const CLI::Option& option) { return option.get_expected_max() > 1; }

const CLI::Option* option_of(const CLI::App& app, const std::string& word, std::string* value) {
  if (!looks_like_option(word)) return nullptr;
  std::string name = word;
  std::string held;
  if (word.starts_with("--")) {
    if (const size_t equals = word.find('='); equals != std::string::npos) {
      name = word.substr(0, equals);
      held = word.substr(equals + 1);
    }
  } else {
    name = word.substr(0, 2);
    held = word.substr(2);
  }
  if (value != nullptr) *value = held;
  return app.get_option_no_throw(name);
}

bool WordWalk::would_begin_command() const {
  if (manual_->command != CommandRule::FirstWord || is_in_command_) return is_in_command_;
  return std::ranges::none_of(seen_, [&](const CLI::Option* option) {
    return !manual_->command_is_marked_with.empty() && option->check_name(std::string(manual_->command_is_marked_with));
  });
}

WordWalk::Kind WordWalk::take(const std::string& word) {
  if (is_in_command_) {
    ++positionals_;
    return Kind::Command;
  }
  if (wants_ > 0) {
    if (--wants_ == 0 && !(is_list(*open_) && open_->get_allow_extra_args())) open_ = nullptr;
    return Kind::Value;
  }
  if (word == "--") {
    open_ = nullptr;
    is_in_command_ = true;
    return Kind::Mark;
  }
  if (looks_like_option(word)) return take_option(word);
  // A list goes on; where a command may follow, only what cannot be one.
  if (open_ != nullptr && (manual_->command == CommandRule::None || is_numeric(word))) return Kind::Value;
  open_ = nullptr;
  ++positionals_;
  if (!would_begin_command()) return Kind::Positional;
  is_in_command_ = true;
  return Kind::Command;
}

WordWalk::Kind WordWalk::take_option(const std::string& word) {
  std::string held;
  const CLI::Option* option = option_of(*app_, word, &held);
  open_ = nullptr;
  if (option == nullptr) return Kind::UnknownOption;
  seen_.push_back(option);
  if (is_flag(*option)) return Kind::Option;
  wants_ = held.empty() ? 1 : 0;
  if (wants_ > 0 || (is_list(*option) && option->get_allow_extra_args())) open_ = option;
  return Kind::Option;
}

Result<Arguments> tell_apart(const CLI::App& app, const Manual& manual, const std::vector<std::string>& words) {
  Arguments result;
  WordWalk walk(app, manual);
  bool is_marked = false;
  for (const std::string& word : words) {
    const CLI::Option* open = walk.may_take_value();
    const WordWalk::Kind kind = walk.take(word);
    if (kind == WordWalk::Kind::UnknownOption) return no_such_option(app, manual, word);
    if (kind == WordWalk::Kind::Option && !is_flag(*walk.seen().back()) && !is_list(*walk.seen().back()) &&
        std::ranges::count(walk.seen(), walk.seen().back()) > 1)
      return fail(ErrorCode::InvalidInput, long_name(*walk.seen().back()) + " is given twice", "give it once");
    if (walk.positionals() > most_positionals(app) && manual.command == CommandRule::None)
      return too_many(app, manual, word);
    TRY(check_not_empty(app, walk, open, kind, word));
    is_marked = is_marked || kind == WordWalk::Kind::Mark;
    if (kind == WordWalk::Kind::Mark && manual.command != CommandRule::None) continue;
    const bool is_command = kind == WordWalk::Kind::Command && manual.command != CommandRule::None;
    (is_command ? result.command : result.own).push_back(word);
    if (is_command && !is_marked && result.command.size() > 1 && option_of(app, word) != nullptr)
      result.like_ours.push_back(word.substr(0, word.find('=')));
  }
  if (walk.wants_value() != nullptr) return no_value(*walk.wants_value(), manual);
  return result;
}

}  // namespace atys::cli

// SPDX-License-Identifier: Apache-2.0
#include "cli/choices.h"

#include <algorithm>
#include <cctype>

#include "base/nearest.h"
#include "base/strings.h"

namespace atys::cli {

namespace {

std::string spaced(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// No description: it would be printed with the option.
CLI::Validator number_from(unsigned long least) {
  return CLI::Validator(
      [least](const std::string& text) {
        const bool is_number = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
        if (is_number && text.size() >= 10) return "'" + text + "' is too large\nwrite at most 999999999";
        if (is_number && std::stoul(text) >= least) return std::string();
        return "'" + text + "' is not a whole number from " + std::to_string(least) + " on";
      },
      "");
}

}  // namespace

CLI::Validator positive() { return number_from(1); }
CLI::Validator whole_number() { return number_from(0); }

// The name of the validator is where completion finds the words.
CLI::Validator one_of(const std::vector<std::string>& words) {
  return CLI::Validator(
      [words](std::string& text) {
        const std::string plain = lower(text);
        if (std::ranges::find(words, plain) != words.end()) {
          text = plain;
          return std::string();
        }
        const std::string near = did_you_mean(text, words, "");
        return "'" + text + "' is none of " + joined(words) + (near.empty() ? "" : "\n" + near);
      },
      "", spaced(words));
}

CLI::Validator offers(const std::vector<std::string>& words) {
  return CLI::Validator([](const std::string&) { return std::string(); }, "", spaced(words));
}

std::vector<std::string> choices_of(CLI::Option& option) {
  std::string text;
  try {
    text = option.get_validator(0)->get_name();
  } catch (const CLI::OptionNotFound&) {
    return {};
  }
  std::vector<std::string> words;
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find(' ', start), text.size());
    words.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return words;
}

}  // namespace atys::cli

// SPDX-License-Identifier: Apache-2.0
// What values an option takes. CLI11 has validators of its own, with messages that a user cannot read. A line break in a
// message parts what is wrong from what to do about it.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace atys::cli {

// A whole number from 1 on.
CLI::Validator positive();
// A whole number from 0 on.
CLI::Validator whole_number();
// One of these words, whatever their case.
CLI::Validator one_of(const std::vector<std::string>& words);
// These words, and others of which the verb is the judge. A word that ends in a colon wants something behind it.
CLI::Validator offers(const std::vector<std::string>& words);

// The words that one_of() or offers() has; none: it takes other values.
std::vector<std::string> choices_of(CLI::Option& option);

// "a, b, c"

}  // namespace atys::cli

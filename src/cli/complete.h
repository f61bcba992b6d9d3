// SPDX-License-Identifier: Apache-2.0
// What may stand at the end of an unfinished command line. All of it comes from the definition of the options: a value is
// completed by what it is called there (PID, FILE, PROFILE …), or by the words that it is one of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "verbs/profiles/candidates.h"

namespace atys::cli {

struct Completion {
  enum class Shell { Nothing, Files, Folders, Command };

  std::vector<verbs::Candidate> candidates;  // whole words
  Shell shell = Shell::Nothing;              // what the shell completes by itself, besides
  // In front of what the shell completes: "--output=". Of a command: how many words are before it.
  std::string before;
  size_t words_before = 0;
};

// The words behind "atys"; the last is the unfinished one, and may be empty.
Completion complete(const std::vector<std::string>& words);

// As the scripts read it: a line with what the shell completes, then a line each: the word, a tab, what it is.
std::string to_lines(const Completion& completion);

}  // namespace atys::cli

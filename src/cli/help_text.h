// SPDX-License-Identifier: Apache-2.0
// What --help prints.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/raw_text.h"
#include "cli/subcommand.h"

namespace atys::cli {

inline constexpr size_t kHelpColumns = 100;  // where it is not for a terminal

// Of one verb.
std::string help_of(const CLI::App& app, const Manual& manual, size_t columns);
// Of the program: its verbs and what they share.
std::string help_of_all(const std::vector<std::unique_ptr<Subcommand>>& subcommands, size_t columns);

// What holds for every verb, by headings: what a PROFILE is, exit status, environment.
struct SharedText {
  std::string_view heading;
  std::string_view text;
};
const std::vector<SharedText>& shared_texts();

// Of the program itself.
inline constexpr std::string_view kGist = "finds the functions that cost the most";
inline constexpr std::pair<std::string_view, std::string_view> kOwnOptions[] = {
    {"-h, --help", "Print this help and exit; atys help VERB, or atys VERB --help, tells of one verb"},
    {"--version", "Print the version and exit"}};
inline constexpr std::string_view kOwnExamples = R"(
  # what is this machine busy with?
  atys up
  # where does this program spend its time?
  atys capture python3 program.py
  # what works here, and what does not?
  atys doctor
)"_text;

}  // namespace atys::cli

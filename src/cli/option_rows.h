// SPDX-License-Identifier: Apache-2.0
// The options of a verb as rows: what help, the man page and completion are made of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/subcommand.h"

namespace atys::cli {

struct OptionRow {
  std::vector<std::string> names;  // "-o", "--output"; none: a positional
  std::string value;               // what its value is called: "FILE"; empty: a flag
  std::string text;
  std::string group;  // a heading; "Options": none of its own
  std::string preset;
  bool is_required = false;
  bool is_many = false;
};

// Without those that are hidden; in the order in which they were defined.
std::vector<OptionRow> option_rows(const CLI::App& app);

// "atys capture [OPTIONS] [--] COMMAND ARG…"
std::string usage_of(const CLI::App& app, const Manual& manual);

// A description as pieces that are wrapped, and lines that are not.
struct TextPiece {
  std::string text;
  bool is_verbatim = false;
  bool begins_paragraph = false;
};
std::vector<TextPiece> pieces_of(std::string_view description);

}  // namespace atys::cli

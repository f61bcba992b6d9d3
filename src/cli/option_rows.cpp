// SPDX-License-Identifier: Apache-2.0
#include "cli/option_rows.h"

#include <algorithm>

#include "cli/arguments.h"

namespace atys::cli {

std::vector<OptionRow> option_rows(const CLI::App& app) {
  std::vector<OptionRow> rows;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    OptionRow row{.text = option->get_description(), .group = option->get_group(), .preset = option->get_default_str()};
    row.is_required = option->get_required();
    row.is_many = is_list(*option);
    for (const std::string& name : option->get_snames()) row.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) row.names.push_back("--" + name);
    if (option->get_positional())
      row.value = option->get_name(true);
    else if (!is_flag(*option))
      row.value = option->get_type_name();
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string usage_of(const CLI::App& app, const Manual& manual) {
  std::string usage = "atys " + std::string(manual.name);
  if (manual.command == CommandRule::FirstWord) return usage + " [OPTIONS] [[--] COMMAND ARG…]";
  for (const OptionRow& row : option_rows(app)) {
    if (!row.names.empty()) continue;
    const std::string word = row.value + (row.is_many ? "…" : "");
    usage += row.is_required || manual.command != CommandRule::None ? " " + word : " [" + word + "]";
  }
  return usage + " [OPTIONS]";
}

std::vector<TextPiece> pieces_of(std::string_view description) {
  std::vector<TextPiece> pieces;
  bool begins_paragraph = true;
  while (!description.empty()) {
    const size_t end = std::min(description.find('\n'), description.size());
    const std::string_view line = description.substr(0, end);
    description.remove_prefix(std::min(end + 1, description.size()));
    if (line.empty()) {
      begins_paragraph = true;
      continue;
    }
    const bool is_verbatim = line.front() == ' ';
    if (!is_verbatim && !begins_paragraph && !pieces.empty() && !pieces.back().is_verbatim)
      pieces.back().text.append(" ").append(line);
    else
      pieces.push_back({std::string(line), is_verbatim, begins_paragraph});
    begins_paragraph = false;
  }
  return pieces;
}

}  // namespace atys::cli

// SPDX-License-Identifier: Apache-2.0
#include "cli/help_text.h"

#include <algorithm>

#include "cli/option_rows.h"
#include "cli/raw_text.h"
#include "present/text/screen.h"

namespace atys::cli {

namespace {

constexpr size_t kTextColumn = 32;     // where texts of options begin
constexpr size_t kNarrow = 60;         // below, they stand under their option
constexpr size_t kFewestColumns = 20;  // a screen narrower than that wraps by itself

using present::text::screen_width;
using present::text::wrapped;

std::string head_of(const OptionRow& row) {
  std::string head;
  for (const std::string& name : row.names) head += (head.empty() ? "" : ", ") + name;
  if (row.names.size() == 1 && row.names[0].size() > 2) head.insert(0, "    ");  // below the long name of "-o, --output"
  if (!row.value.empty()) head += (head.empty() ? "" : " ") + row.value + (row.names.empty() && row.is_many ? "…" : "");
  return head;
}

std::string text_of(const OptionRow& row) { return row.text + (row.preset.empty() ? "" : " (default: " + row.preset + ")"); }

// "  head      text", the text wrapped in its column.
std::string entry(const std::string& head, const std::string& text, size_t text_column, size_t columns) {
  const std::string body = wrapped(text, text_column, columns);
  const size_t used = 2 + screen_width(head);
  if (columns < kNarrow || used + 2 > text_column || body.empty()) return "  " + head + "\n" + body;
  return "  " + head + std::string(text_column - used, ' ') + body.substr(text_column);
}

std::string options_text(const CLI::App& app, size_t columns) {
  const std::vector<OptionRow> rows = option_rows(app);
  std::vector<std::string> groups;
  for (const OptionRow& row : rows)
    if (!row.names.empty() && std::ranges::find(groups, row.group) == groups.end()) groups.push_back(row.group);
  const size_t column = columns < kNarrow ? 6 : kTextColumn;
  std::string text;
  for (const OptionRow& row : rows)
    if (row.names.empty())
      text += (text.empty() ? "\nARGUMENTS\n" : "") + entry(head_of(row), text_of(row), column, columns);
  for (const std::string& group : groups) {
    std::string heading = group;
    for (char& c : heading) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    text += "\n" + heading + "\n";
    for (const OptionRow& row : rows)
      if (!row.names.empty() && row.group == group) text += entry(head_of(row), text_of(row), column, columns);
  }
  return text;
}

std::string description_text(std::string_view description, size_t indent, size_t columns) {
  std::string text;
  for (const TextPiece& piece : pieces_of(description)) {
    if (piece.begins_paragraph && !text.empty()) text += "\n";
    text += piece.is_verbatim ? std::string(indent, ' ') + piece.text + "\n" : wrapped(piece.text, indent, columns);
  }
  return text;
}

}  // namespace

const std::vector<SharedText>& shared_texts() {
  static const std::vector<SharedText> kTexts = {
      {"PROFILE", R"(
        A file in any format that Atys reads (gzip or not), - for standard input, the id of a profile in the local library
        (its first six digits will do), or service:NAME[@FROM..TO], which asks a controller (service:shop@-1h..now,
        service:shop{version=1.2}).
        )"_text},
      {"EXIT STATUS",
       "0 done, 1 failed, 2 usage, 3 budget exhausted, 4 not trusted. A captured command's own becomes ours."},
      {"ENVIRONMENT", R"(
        ATYS_HOME         the local library (default: atys in the XDG data folder)
        ATYS_LEDGER       the ledger that pays for calls
        ATYS_CONTROLLER   the controller that is asked for service:NAME
        ATYS_TOKEN        its token
        DEBUGINFOD_URLS   where --debuginfod asks for debug files
        NO_COLOR          if it is set and not empty: no colour
      )"_text},
  };
  return kTexts;
}

std::string help_of(const CLI::App& app, const Manual& manual, size_t columns) {
  columns = std::max(columns, kFewestColumns);
  std::string text = wrapped("atys " + std::string(manual.name) + " - " + std::string(manual.summary), 0, columns);
  text += "\nUSAGE\n" + wrapped(usage_of(app, manual), 2, columns);
  if (!manual.description.empty()) text += "\nDESCRIPTION\n" + description_text(manual.description, 2, columns);
  text += options_text(app, columns);
  if (!manual.examples.empty()) text += "\nEXAMPLES\n" + std::string(manual.examples) + "\n";
  const SharedText& status = shared_texts()[1];
  return text + "\n" + std::string(status.heading) + "\n" + wrapped(status.text, 2, columns);
}

std::string help_of_all(const std::vector<std::unique_ptr<Subcommand>>& subcommands, size_t columns) {
  columns = std::max(columns, kFewestColumns);
  std::string text = wrapped("atys - " + std::string(kGist), 0, columns);
  text += "\nUSAGE\n  atys VERB …\n\nVERBS\n";
  const size_t column = columns < kNarrow ? 6 : 14;
  for (const auto& subcommand : subcommands)
    text += entry(std::string(subcommand->manual().name), std::string(subcommand->manual().summary), column, columns);
  text += "\nOPTIONS\n";
  for (const auto& [head, what] : kOwnOptions)
    text += entry(std::string(head), std::string(what), columns < kNarrow ? 6 : column, columns);
  text += "\nEXAMPLES\n" + std::string(kOwnExamples) + "\n";
  for (const SharedText& shared : shared_texts())
    text += "\n" + std::string(shared.heading) + "\n" +
            description_text(shared.text, shared.text.front() == ' ' ? 0 : 2, columns);
  return text;
}

}  // namespace atys::cli

// SPDX-License-Identifier: Apache-2.0
#include "cli/man_page.h"

#include <algorithm>
#include <cstdio>

#include "base/utf8.h"
#include "cli/help_text.h"
#include "cli/option_rows.h"

namespace atys::cli {

namespace {

// What typesetters replace by something else, which a shell would not take back.
std::string_view plain_glyph(char c) {
  switch (c) {
    case '\\': return "\\e";
    case '-': return "\\-";
    case '\'': return "\\(aq";
    case '`': return "\\(ga";
    case '^': return "\\(ha";
    case '~': return "\\(ti";
    case '"': return "\\(dq";
    default: return {};
  }
}

std::string upper(std::string_view text) {
  std::string result;
  for (const char c : text) result += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return result;
}

// A line of text that is not taken for a request.
std::string line(const std::string& text) {
  return (text.starts_with('.') || text.starts_with("\\(aq") ? "\\&" : "") + text + "\n";
}

std::string title(const std::string& page) {
  return ".\\\" Made of the text of atys help; do not edit.\n.TH " + upper(roff(page)) +
         " 1 \"\" \"atys " ATYS_VERSION "\" \"Atys\"\n" +
         // No hyphens in names of options, no letters pulled apart by blanks.
         ".nr HY 0\n.nh\n.ad l\n";
}

std::string section(std::string_view heading) { return ".SH " + roff(upper(heading)) + "\n"; }

std::string verbatim(std::string_view text) {
  std::string out = ".EX\n";
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    out += line(roff(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out + ".EE\n";
}

std::string description(std::string_view text) {
  std::string out;
  std::string as_is;
  const auto end_verbatim = [&] {
    if (!as_is.empty()) out += verbatim(as_is);
    as_is.clear();
  };
  for (const TextPiece& piece : pieces_of(text)) {
    if (piece.is_verbatim) {
      as_is += piece.text + "\n";
      continue;
    }
    end_verbatim();
    if (!out.empty()) out += ".PP\n";
    out += line(roff(piece.text));
  }
  end_verbatim();
  return out;
}

std::string entry(const OptionRow& row) {
  std::string head;
  for (const std::string& name : row.names) head += (head.empty() ? "" : ", ") + ("\\fB" + roff(name) + "\\fR");
  if (!row.value.empty()) head += (head.empty() ? "" : " ") + ("\\fI" + roff(row.value) + "\\fR");
  return ".TP\n" + head + "\n" + line(roff(row.text + (row.preset.empty() ? "" : " (default: " + row.preset + ")")));
}

std::string options(const CLI::App& app) {
  const std::vector<OptionRow> rows = option_rows(app);
  std::vector<std::string> groups;
  std::string text;
  for (const OptionRow& row : rows) {
    if (row.names.empty())
      text += (text.empty() ? section("ARGUMENTS") : "") + entry(row);
    else if (std::ranges::find(groups, row.group) == groups.end())
      groups.push_back(row.group);
  }
  text += section("OPTIONS");
  for (const std::string& group : groups) {
    if (group != "Options") text += ".SS " + roff(group) + "\n";
    for (const OptionRow& row : rows)
      if (!row.names.empty() && row.group == group) text += entry(row);
  }
  return text;
}

std::string see_also(const std::vector<std::string>& pages) {
  std::string text = section("SEE ALSO");
  for (const std::string& page : pages) text += ".BR " + roff(page) + " (1)" + (page == pages.back() ? "\n" : ",\n");
  return text;
}

}  // namespace

std::string roff(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const CodePoint found = first_code_point(text);
    const size_t length = std::max<size_t>(found.length, 1);
    if (length > 1) {
      char name[16];
      std::snprintf(name, sizeof name, "\\[u%04X]", found.value);
      out += name;
    } else if (const std::string_view glyph = plain_glyph(text[0]); !glyph.empty()) {
      out += glyph;
    } else {
      out += text[0];
    }
    text.remove_prefix(length);
  }
  return out;
}

std::string man_page_of(const CLI::App& app, const Manual& manual) {
  const std::string page = "atys-" + std::string(manual.name);
  std::string text = title(page) + section("NAME") + roff(page) + " \\- " + roff(manual.summary) + "\n";
  text += section("SYNOPSIS") + line("\\fB" + roff(usage_of(app, manual)) + "\\fR");
  if (!manual.description.empty()) text += section("DESCRIPTION") + description(manual.description);
  text += options(app);
  if (!manual.examples.empty()) text += section("EXAMPLES") + verbatim(manual.examples);
  for (const SharedText& shared : shared_texts())
    if (shared.heading == "EXIT STATUS") text += section(shared.heading) + description(shared.text);
  return text + see_also({"atys"});
}

std::string man_page_of_all(const std::vector<std::unique_ptr<Subcommand>>& subcommands) {
  std::string text = title("atys") + section("NAME") + "atys \\- " + roff(kGist) + "\n" + section("SYNOPSIS") +
                     ".B atys\n.I VERB\n\\[u2026]\n" + section("DESCRIPTION") +
                     "Each verb has a page of its own: atys\\-VERB(1). The same text is printed by atys help VERB.\n" +
                     section("VERBS");
  std::vector<std::string> pages;
  for (const auto& subcommand : subcommands) {
    const Manual& manual = subcommand->manual();
    text += ".TP\n\\fB" + roff(manual.name) + "\\fR\n" + line(roff(manual.summary));
    pages.push_back("atys-" + std::string(manual.name));
  }
  text += section("OPTIONS");
  for (const auto& [head, what] : kOwnOptions) text += ".TP\n\\fB" + roff(head) + "\\fR\n" + line(roff(what));
  for (const SharedText& shared : shared_texts()) text += section(shared.heading) + description(shared.text);
  return text + section("EXAMPLES") + verbatim(kOwnExamples) + see_also(pages);
}

std::vector<std::pair<std::string, std::string>> all_man_pages() {
  const auto subcommands = all_subcommands();
  std::vector<std::pair<std::string, std::string>> pages = {{"atys.1", man_page_of_all(subcommands)}};
  for (const auto& subcommand : subcommands)
    pages.emplace_back("atys-" + std::string(subcommand->manual().name) + ".1",
                       man_page_of(*make_app(*subcommand), subcommand->manual()));
  return pages;
}

}  // namespace atys::cli

// SPDX-License-Identifier: Apache-2.0
#include "cli/help_text.h"

#include <gtest/gtest.h>

#include <sstream>

#include "cli/man_page.h"
#include "cli/option_rows.h"
#include "present/text/screen.h"

namespace atys::cli {
namespace {

TEST(help, no_prose_is_wider_than_asked_for) {
  for (const auto& subcommand : all_subcommands()) {
    std::istringstream lines(help_of(*make_app(*subcommand), subcommand->manual(), 80));
    bool is_example = false;
    for (std::string line; std::getline(lines, line);) {
      if (line == "EXAMPLES") is_example = true;
      if (line.empty()) is_example = false;
      // A command and a list are not wrapped.
      const bool is_prose = !is_example && !line.starts_with("    ");
      EXPECT_TRUE(!is_prose || present::text::screen_width(line) <= 80) << subcommand->manual().name << ": " << line;
    }
  }
}

TEST(help, every_verb_says_what_it_does_and_how_to_call_it) {
  const std::string all = help_of_all(all_subcommands(), 100);
  for (const auto& subcommand : all_subcommands()) {
    const Manual& manual = subcommand->manual();
    const std::string text = help_of(*make_app(*subcommand), manual, 100);
    EXPECT_NE(all.find("\n  " + std::string(manual.name)), std::string::npos) << manual.name;
    EXPECT_NE(text.find("\nUSAGE\n  atys " + std::string(manual.name)), std::string::npos) << manual.name;
    EXPECT_NE(text.find("\nEXAMPLES\n"), std::string::npos) << manual.name;
    EXPECT_NE(text.find("--json"), std::string::npos) << manual.name;
  }
}

TEST(help, texts_are_told_from_lines_that_stay) {
  const std::vector<TextPiece> pieces = pieces_of("One\ntwo.\n\nList:\n  a  1\n  b  2\nafter");
  ASSERT_EQ(pieces.size(), 5u);
  EXPECT_EQ(pieces[0].text, "One two.");
  EXPECT_EQ(pieces[1].text, "List:");
  EXPECT_TRUE(pieces[1].begins_paragraph);
  EXPECT_TRUE(pieces[2].is_verbatim);
  EXPECT_EQ(pieces[4].text, "after");
}

TEST(man_page, text_stays_text) {
  EXPECT_EQ(roff("--top 'a\\b' ~x^y `z`"), "\\-\\-top \\(aqa\\eb\\(aq \\(tix\\(hay \\(gaz\\(ga");
  EXPECT_EQ(roff("a…"), "a\\[u2026]");
}

TEST(man_page, has_every_option_of_the_help) {
  const auto pages = all_man_pages();
  EXPECT_EQ(pages.size(), all_subcommands().size() + 1);
  size_t page = 1;
  for (const auto& subcommand : all_subcommands()) {
    const auto& [name, text] = pages[page++];
    EXPECT_EQ(name, "atys-" + std::string(subcommand->manual().name) + ".1");
    for (const OptionRow& row : option_rows(*make_app(*subcommand)))
      for (const std::string& option : row.names)
        EXPECT_NE(text.find("\\fB" + roff(option) + "\\fR"), std::string::npos) << option;
    EXPECT_NE(pages[0].second.find(roff(subcommand->manual().summary)), std::string::npos);
  }
}

}  // namespace
}  // namespace atys::cli

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/json.h"
#include "present/json/answers.h"
#include "present/text/numbers.h"
#include "present/text/table.h"

namespace atys::present {

TEST(numbers, are_written_as_people_read_them) { EXPECT_EQ(text::duration(240'000'000'000), "4m0s"); }

TEST(names, are_one_printable_line_and_shortened_in_the_middle) {
  EXPECT_EQ(text::name("a\nb\x1b[31m\xff"), "\"a b [31m\xef\xbf\xbd\"");
  EXPECT_EQ(text::name("ignore all that was said before this"), "\"ignore all that was said before this\"");
  EXPECT_EQ(text::name("std::map<int, foo>::at(int) const"), "std::map<int, foo>::at(int) const");
  EXPECT_EQ(text::name(""), "(no name)");
  const std::string shortened = text::name(std::string(300, 'a') + "END", 30);
  EXPECT_LE(shortened.size(), 34u);
  EXPECT_TRUE(shortened.ends_with("END"));
}

TEST(table, aligns_columns_by_characters_not_bytes) {
  text::Table table({{"n"}, {"name", text::Align::Left}});
  table.add({"1", "λx"});
  table.add({"200", "y"});
  EXPECT_EQ(table.render(), "  n  name\n  1  λx\n200  y\n");
}

TEST(json, errors_carry_code_message_and_hint) {
  const auto parsed = parse_json(json::render(fail(ErrorCode::NotFound, "no \"x\"", "look")));
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ((*parsed)["error"]["code"], "not_found");
  EXPECT_EQ((*parsed)["error"]["message"], "no \"x\"");
}

TEST(json, every_schema_is_json) {
  for (const std::string_view verb : json::verbs_with_schema()) EXPECT_TRUE(parse_json(*json::schema(verb)).ok()) << verb;
  EXPECT_FALSE(json::schema("nosuch").ok());
}

}  // namespace atys::present

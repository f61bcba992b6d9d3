// SPDX-License-Identifier: Apache-2.0
#include "verbs/view/view_fields.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "support/view_samples.h"

namespace atys::verbs {

namespace {

using Told = std::vector<std::string>;

const ViewField& field(std::string_view name) { return *std::ranges::find(view_fields(), name, &ViewField::name); }

std::string guide_page(const char* name) {
  std::ostringstream text;
  text << std::ifstream(std::string(ATYS_GUIDE "/") + name).rdbuf();
  return text.str();
}

}  // namespace

TEST(view_fields, are_told_as_they_are_set) {
  for (const ViewField& one : view_fields()) {
    View view;
    EXPECT_EQ(one.told(view), Told()) << one.name;
    const std::string value = test::sample_of(one);
    const auto set = one.set(view, value);
    ASSERT_TRUE(set.ok()) << one.name << ": " << set.error().message;
    EXPECT_EQ(one.told(view), Told{value}) << one.name;
    for (const ViewField& other : view_fields())
      EXPECT_EQ(other.told(view).empty(), &other != &one) << one.name << " sets " << other.name;
    ASSERT_TRUE(one.set(view, value).ok());
    EXPECT_EQ(one.told(view).size(), one.is_repeated ? 2u : 1u) << one.name;
  }
}

TEST(view_fields, have_a_name_each_a_sentence_and_a_reason_where_they_are_hidden) {
  std::set<std::string_view> names;
  for (const ViewField& one : view_fields()) {
    for (const std::string_view name : {one.name, one.old_parameter})
      EXPECT_TRUE(name.empty() || names.insert(name).second) << name;
    EXPECT_FALSE(one.text.empty()) << one.name;
    EXPECT_EQ(one.value.empty(), one.type == FieldType::Flag) << one.name;
    EXPECT_TRUE(!one.hidden || !one.hidden->why.empty()) << one.name;
    const bool has_bounds = one.type != FieldType::Form && one.type != FieldType::Flag;
    EXPECT_EQ(one.most > one.least, has_bounds) << one.name;
  }
}

TEST(view_fields, of_strangers_have_bounds) {
  View view;
  EXPECT_FALSE(set_bounded(view, field("top"), "0").ok());
  EXPECT_FALSE(set_bounded(view, field("top"), "10001").ok());
  EXPECT_FALSE(set_bounded(view, field("focus"), std::string(1001, 'a')).ok());
  EXPECT_EQ(view.top, std::nullopt);
  EXPECT_TRUE(set_bounded(view, field("top"), "10000").ok());
  EXPECT_EQ(set_bounded(view, field("focus"), "(").error().message.substr(0, 33), "focus: bad regular expression '('");
  EXPECT_TRUE(field("top").set(view, "10001").ok()) << "who is at the shell may have as many as he likes";
}

TEST(view_fields, that_make_no_sense_are_refused) {
  View view;
  for (const auto& [name, text] : std::vector<std::pair<const char*, const char*>>{{"form", "pie"},
                                                                                   {"by", "colour"},
                                                                                   {"top", "many"},
                                                                                   {"max_tokens", "59"},
                                                                                   {"full_names", "perhaps"},
                                                                                   {"own", "("},
                                                                                   {"library", "["},
                                                                                   {"ignore", "*"},
                                                                                   {"label", "key"},
                                                                                   {"label", "=value"},
                                                                                   {"label", "key=("},
                                                                                   {"from", "yesterday"},
                                                                                   {"until", "x"}})
    EXPECT_FALSE(field(name).set(view, text).ok()) << name;
}

TEST(view_fields, are_in_the_guide) {
  EXPECT_NE(guide_page("view.md").find("\n" + view_fields_as_markdown()), std::string::npos)
      << "docs/guide/view.md lacks this table:\n"
      << view_fields_as_markdown();
}

}  // namespace atys::verbs

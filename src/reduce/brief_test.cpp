// SPDX-License-Identifier: Apache-2.0
#include "reduce/brief.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/profile_text.h"

namespace atys::reduce {

namespace {

CodeOrigins origins(const Profile& profile, const OwnCodeRules& rules = {}) {
  return {profile, 0, *OwnCode::compile(rules)};
}

std::vector<std::string> names(const std::vector<BriefRow>& rows) {
  std::vector<std::string> result;
  for (const BriefRow& row : rows) result.push_back(row.entity.name);
  return result;
}

}  // namespace

TEST(brief, names_the_hot_leaf_the_loop_above_it_and_the_library_below) {
  const Profile profile =
      test::profile_from_text("main;run;loop;work 40\nmain;run;loop;other 30\nmain;run;load;lib_parse;lib_scan 30");
  const Brief found = brief(profile, 0, origins(profile, {.own = {}, .library = {"^lib_"}}), 8);
  const auto shown = names(found.rows);
  for (const char* name : {"work", "loop", "lib_scan", "load"})
    EXPECT_NE(std::ranges::find(shown, name), shown.end()) << name;
}

TEST(brief, charges_the_runtime_to_who_calls_it_and_says_for_what) {
  // By self time, the culprit comes after three functions that nobody can change.
  const Profile profile = test::profile_from_text(
      "main;page;offset;std::regex_match;std::step 30\nmain;page;offset;std::regex_match;std::next 25\n"
      "main;page;offset 1\nmain;page;draw 24\nmain;save;std::copy 20");
  const Brief found = brief(profile, 0, origins(profile), 8);
  ASSERT_FALSE(found.rows.empty());
  EXPECT_EQ(found.rows[0].entity.name, "offset");
  EXPECT_EQ(found.rows[0].self, 1);
  EXPECT_EQ(found.rows[0].charged.value, 56);
  EXPECT_EQ(found.rows[0].callee, "std::regex_match");
  EXPECT_DOUBLE_EQ(found.rows[0].callee_percent, 55);
  for (const BriefRow& row : found.rows) EXPECT_NE(row.charged.origin, Origin::Runtime) << row.entity.name;
}

TEST(brief, has_functions_of_packages_beside_the_users_that_call_them) {
  const Profile profile =
      test::profile_from_text("main;handle;lib_parse;lib_scan;std::copy 60\nmain;handle;check 5\nmain;other 35");
  const Brief found = brief(profile, 0, origins(profile, {.own = {}, .library = {"^lib_"}}), 8);
  const auto shown = names(found.rows);
  ASSERT_GE(shown.size(), 3u);
  EXPECT_EQ(shown[0], "lib_scan");
  EXPECT_EQ(shown[1], "handle");
  EXPECT_EQ(found.rows[0].callee, "std::copy");
  EXPECT_EQ(found.rows[1].charged.value, 60);
  EXPECT_EQ(found.rows[1].callee, "lib_parse");
}

TEST(brief, has_a_function_of_little_self_time_where_much_comes_together) {
  // Ten callees of `compare` are each hotter than it, and none is what to change; `main` and `run` hold everything.
  std::string text = "main;run;compare 1\n";
  for (int i = 0; i < 10; ++i) text += "main;run;compare;part" + std::to_string(i) + " 8\n";
  text += "main;run;load 19\n";
  const Profile profile = test::profile_from_text(text);
  const auto shown = names(brief(profile, 0, origins(profile), 8).rows);
  ASSERT_GE(shown.size(), 5u);
  const auto end_of_first = shown.begin() + 5;
  EXPECT_NE(std::find(shown.begin(), end_of_first, "compare"), end_of_first);
  EXPECT_EQ(std::find(shown.begin(), end_of_first, "main"), end_of_first);
}

TEST(brief, has_recursion_in_one_row) {
  const Profile profile =
      test::profile_from_text("main;walk;walk;walk;walk;std::copy 50\nmain;walk;walk;std::copy 30\nmain;idle 20");
  const Brief found = brief(profile, 0, origins(profile), 8);
  const auto shown = names(found.rows);
  EXPECT_EQ(shown, (std::vector<std::string>{"walk", "idle"}));
  EXPECT_EQ(found.rows[0].charged.value, 80);
  EXPECT_EQ(found.rows[0].total, 80);
}

TEST(brief, has_what_the_runtime_does_by_itself_last_and_in_one_row_each) {
  const Profile profile = test::profile_from_text(
      "clone3[kernel];(garbage collector);std::mark 30\n(garbage collector);std::sweep 20\nstart[kernel];do_exit[kernel] "
      "10\n"
      "main;(garbage collector) 15\nmain;work 25");
  const Brief found = brief(profile, 0, origins(profile), 8);
  EXPECT_EQ(names(found.rows), (std::vector<std::string>{"work", "main", "[garbage collection]", "[starting and ending]"}));
  EXPECT_EQ(found.rows[2].total, 50);
  EXPECT_EQ(found.rows[1].callee, "(garbage collector)");
}

TEST(brief, has_a_row_where_nothing_but_the_runtime_was_seen) {
  const Profile profile = test::profile_from_text("start[kernel];do_exit[kernel] 10");
  for (const size_t most : {1, 8}) EXPECT_FALSE(brief(profile, 0, origins(profile), most).rows.empty());
}

}  // namespace atys::reduce

// SPDX-License-Identifier: Apache-2.0
#include "reduce/table_rows.h"

#include <gtest/gtest.h>

#include "support/profile_text.h"

namespace atys::reduce {

namespace {

CodeOrigins origins(const Profile& profile, const OwnCodeRules& rules = {}) {
  return {profile, 0, *OwnCode::compile(rules)};
}

}  // namespace

TEST(table_rows, charge_what_libraries_cost_to_who_calls_them) {
  const Profile profile = test::profile_from_text("main;load;lib_parse 60\nmain;load 10\nmain 30");
  const TableRows table = table_rows(profile, 0, {}, origins(profile, {.own = {}, .library = {"^lib_"}}));
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(table.rows[0].entity.name, "lib_parse");
  EXPECT_EQ(table.rows[0].charged->origin, Origin::Library);
  EXPECT_EQ(table.rows[0].charged->value, 60) << "what is not the user's answers for itself alone";
  EXPECT_EQ(table.rows[2].entity.name, "load");
  EXPECT_EQ(table.rows[2].self, 10);
  EXPECT_EQ(table.rows[2].charged->value, 70);
  EXPECT_EQ(table.rows[2].charged->percent, 70);
  EXPECT_EQ(table.rows[2].rank, 2u);
}

TEST(table_rows, charge_nothing_to_what_is_no_function) {
  const Profile profile = test::profile_from_text("main {route=a} 60\nmain {route=b} 40");
  const TableRows table = table_rows(profile, 0, {DimensionKind::Label, "route"}, origins(profile));
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0].entity.name, "a");
  EXPECT_EQ(table.rows[0].self_percent, 60);
  EXPECT_FALSE(table.rows[0].charged.has_value());
}

}  // namespace atys::reduce

// SPDX-License-Identifier: Apache-2.0
#include "reduce/in_step.h"

#include <gtest/gtest.h>

namespace atys::reduce {

namespace {

using Values = std::vector<double>;

// Rows of one run each, a sample for each unit.
std::vector<bool> in_step(const Values& base, const Values& fresh) {
  std::vector<RowValues> rows;
  RunTotal of_base, of_fresh;
  for (size_t i = 0; i < base.size(); ++i) {
    rows.push_back({{&base[i], 1}, {&fresh[i], 1}});
    of_base.value += base[i];
    of_fresh.value += fresh[i];
  }
  of_base.samples = of_base.value;
  of_fresh.samples = of_fresh.value;
  return rows_in_step(rows, {&of_base, 1}, {&of_fresh, 1});
}

using Flags = std::vector<bool>;

}  // namespace

TEST(in_step, finds_the_row_that_others_only_make_room_for) {
  EXPECT_EQ(in_step({500, 300, 200}, {500, 300, 2000}), (Flags{true, true, false}));
  EXPECT_EQ(in_step({5000, 300, 200, 100, 80}, {0, 310, 190, 105, 77}), (Flags{false, true, true, true, true}));
}

TEST(in_step, does_not_mind_how_long_was_recorded) {
  EXPECT_EQ(in_step({5000, 300, 200, 100}, {500, 3000, 2000, 1000}), (Flags{false, true, true, true}));
}

TEST(in_step, of_profiles_alike_are_all) { EXPECT_EQ(in_step({500, 300, 200}, {510, 290, 205}), (Flags{true, true, true})); }

TEST(in_step, are_none_where_nobody_can_say_who_moved) {
  EXPECT_EQ(in_step({500, 500}, {800, 200}), (Flags{false, false}));
  EXPECT_EQ(in_step({900, 500, 100, 20}, {100, 20, 900, 500}), (Flags{false, false, false, false}));
  EXPECT_EQ(in_step({}, {}), Flags{});
}

}  // namespace atys::reduce

// SPDX-License-Identifier: Apache-2.0
#include "reduce/flame_change.h"

#include <gtest/gtest.h>

namespace atys::reduce {

namespace {

struct Case {
  const char* name;
  double base;
  double fresh;
  double base_total;
  double fresh_total;
  double samples;  // of either; 0: not known
  bool absolute;
  int level;
};

// tests/page/compare.test.mjs has the same table: the page and the picture agree.
constexpr Case kCases[] = {
    {"same", 10, 10, 100, 100, 0, false, 0},
    {"new", 0, 10, 100, 100, 0, false, 4},
    {"gone", 10, 0, 100, 100, 0, false, -4},
    {"twice", 10, 20, 100, 100, 0, false, 3},
    {"half", 20, 10, 100, 100, 0, false, -3},
    {"a quarter more", 20, 25, 100, 100, 0, false, 2},
    {"a fifth less", 25, 20, 100, 100, 0, false, -2},
    {"a little more", 100, 106, 1000, 1000, 0, false, 1},
    {"hardly more", 100, 104, 1000, 1000, 0, false, 0},
    {"the same share of twice as much", 10, 20, 100, 200, 0, false, 0},
    {"twice as much, compared as it is", 10, 20, 100, 200, 0, true, 3},
    {"new, but by chance", 0, 1, 100, 100, 100, false, 0},
    {"new, and not by chance", 0, 1, 100, 100, 10000, false, 4},
    {"more, by chance", 10, 14, 100, 100, 100, true, 0},
    {"more, and not by chance", 10, 14, 100, 100, 10000, true, 2},
    {"below zero, and less so", -10, -5, 100, 100, 100, true, 3},
    {"of nothing", 0, 0, 0, 0, 0, false, 0},
};

}  // namespace

TEST(flame_change, comes_in_steps) {
  for (const Case& c : kCases) {
    EXPECT_EQ(change_level(c.base, c.fresh, {c.base_total, c.samples}, {c.fresh_total, c.samples}, c.absolute), c.level)
        << c.name;
  }
}

TEST(flame_change, back_is_the_opposite) {
  for (const Case& c : kCases) {
    EXPECT_EQ(change_level(c.fresh, c.base, {c.fresh_total, c.samples}, {c.base_total, c.samples}, c.absolute), -c.level)
        << c.name;
  }
}

}  // namespace atys::reduce

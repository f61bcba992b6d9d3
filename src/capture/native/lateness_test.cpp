// SPDX-License-Identifier: Apache-2.0
#include "capture/native/lateness.h"

#include <gtest/gtest.h>

#include <initializer_list>

namespace atys::capture::native {

namespace {

bool is_late_after(std::initializer_list<uint64_t> waits, int times, uint64_t last) {
  Lateness lateness;
  for (int i = 0; i < times; ++i)
    for (const uint64_t waited : waits) lateness.see(waited);
  lateness.see(last);
  return lateness.is_late();
}

}  // namespace

TEST(lateness, is_told_by_what_is_usual_on_this_machine) {
  EXPECT_FALSE(is_late_after({8'000, 10'000, 13'000}, 100, 15'000));
  EXPECT_TRUE(is_late_after({8'000, 10'000, 13'000}, 100, 30'000));
  EXPECT_FALSE(is_late_after({22'000, 28'000, 40'000}, 100, 30'000));
}

TEST(lateness, is_not_learned_from_a_cpu_that_had_nothing_to_do) {
  EXPECT_FALSE(is_late_after({0, 0, 0, 0, 10'000}, 100, 12'000));
}

TEST(lateness, of_milliseconds_never_becomes_usual) { EXPECT_TRUE(is_late_after({2'000'000}, 1000, 500'000)); }

}  // namespace atys::capture::native

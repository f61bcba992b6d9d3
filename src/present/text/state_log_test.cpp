// SPDX-License-Identifier: Apache-2.0
#include "present/text/state_log.h"

#include <gtest/gtest.h>

namespace atys::present::text {

using Lines = std::vector<std::string>;

constexpr uint64_t kSecond = 1'000'000'000;

TEST(state_log, tells_what_has_changed) {
  StateLog log;
  EXPECT_EQ(log.next({{"task a", "recording"}, {"task b", "no process\nof b"}}, 0),
            (Lines{"task a: recording", "task b: no process of b"}));
  EXPECT_EQ(log.next({{"task a", "recording"}, {"task b", "no process\nof b"}}, 100 * kSecond), Lines{});
  EXPECT_EQ(log.next({{"task a", "recording"}, {"task b", "recording"}}, 200 * kSecond), Lines{"task b: recording"});
  EXPECT_EQ(log.next({{"task b", "recording"}}, 300 * kSecond), Lines{});
  EXPECT_EQ(log.next({{"task a", "recording"}, {"task b", "recording"}}, 301 * kSecond), Lines{"task a: recording"});
}

TEST(state_log, tells_what_flaps_no_more_often_than_can_be_read) {
  StateLog log;
  size_t lines = 0;
  for (uint64_t second = 0; second < 300; ++second)
    lines += log.next({{"controller", second % 2 == 0 ? "away" : "here"}}, second * kSecond).size();
  EXPECT_LE(lines, 11u);
  EXPECT_GE(lines, 5u);
}

TEST(state_log, tells_what_stays_wrong_again_at_growing_intervals) {
  StateLog log;
  std::vector<uint64_t> told;
  for (uint64_t second = 0; second < 4 * 3600; ++second)
    if (!log.next({{"controller", "the token is wrong"}}, second * kSecond, {"controller"}).empty()) told.push_back(second);
  EXPECT_EQ(told, (std::vector<uint64_t>{0, 60, 180, 420, 900, 1860, 3780, 7380, 10980}));
  EXPECT_EQ(log.next({{"controller", "connected"}}, 5 * 3600 * kSecond), Lines{"controller: connected"});
  EXPECT_EQ(log.next({{"controller", "connected"}}, 9 * 3600 * kSecond), Lines{}) << "it is no trouble";
}

}  // namespace atys::present::text

// SPDX-License-Identifier: Apache-2.0
#include "store/embedded/read_plan.h"

#include <gtest/gtest.h>

#include "store/embedded/calendar.h"

namespace atys::store {

namespace {

constexpr int64_t kDay0 = 20'000 * kDayNs;
constexpr int64_t kSecondNs = 1'000'000'000;
constexpr std::array<int64_t, kLevels> kAll = {};

ReadNeeds needs(int64_t from, int64_t to, Level coarsest = Level::Hours) { return {kDay0 + from, kDay0 + to, coarsest}; }

}  // namespace

using Spans = std::vector<ReadSpan>;

TEST(calendar, names_files_by_their_day) {
  EXPECT_EQ(day_file_name(0), "1970-01-01.db");
  EXPECT_EQ(day_file_name(951'782'400 * kSecondNs + 5), "2000-02-29.db");
  EXPECT_EQ(day_of_file_name("2000-02-29.db"), 951'782'400 * kSecondNs);
  for (const char* name : {"2001-02-29.db", "2000-2-29.db", "2000-02-29.db-wal", "writer.lock", "", "2000-02-+9.db"}) {
    EXPECT_FALSE(day_of_file_name(name).has_value()) << name;
  }
  EXPECT_EQ(floor_to(-1, kDayNs), -kDayNs);
}

TEST(read_plan, takes_whole_hours_then_minutes_then_windows) {
  const ReadPlan plan = plan_day(kDay0, needs(kHourNs - kMinuteNs - 30 * kSecondNs, 3 * kHourNs + 20 * kSecondNs), kAll);
  const Spans expected = {{Level::Windows, kDay0 + kHourNs - 90 * kSecondNs, kDay0 + kHourNs - kMinuteNs},
                          {Level::Minutes, kDay0 + kHourNs - kMinuteNs, kDay0 + kHourNs},
                          {Level::Hours, kDay0 + kHourNs, kDay0 + 3 * kHourNs},
                          {Level::Windows, kDay0 + 3 * kHourNs, kDay0 + 3 * kHourNs + 20 * kSecondNs}};
  EXPECT_EQ(plan.spans, expected);
  EXPECT_TRUE(plan.exact);
  EXPECT_FALSE(plan.dropped);
}

TEST(read_plan, covers_a_range_exactly_where_everything_is_kept) {
  for (const int64_t from : {int64_t{-5}, int64_t{0}, 17 * kSecondNs, kMinuteNs, kHourNs, 5 * kHourNs + 1}) {
    for (const int64_t to : {6 * kHourNs - 3, 7 * kHourNs, kDayNs, kDayNs + 100}) {
      const ReadPlan plan = plan_day(kDay0, needs(from, to), kAll);
      int64_t at = kDay0 + std::max<int64_t>(from, 0);
      for (const ReadSpan& span : plan.spans) {
        EXPECT_EQ(span.from_ns, at);
        at = span.to_ns;
      }
      EXPECT_EQ(at, kDay0 + std::min(to, kDayNs));
    }
  }
}

TEST(read_plan, is_no_coarser_than_the_question) {
  EXPECT_EQ(plan_day(kDay0, needs(0, kDayNs, Level::Windows), kAll).spans, (Spans{{Level::Windows, kDay0, kDay0 + kDayNs}}));
  EXPECT_EQ(plan_day(kDay0, needs(0, kDayNs, Level::Minutes), kAll).spans, (Spans{{Level::Minutes, kDay0, kDay0 + kDayNs}}));
}

TEST(read_plan, falls_back_to_what_is_left) {
  // Windows are kept from 4:00 on, minutes from 2:00 on.
  const std::array<int64_t, kLevels> kept = {kDay0 + 4 * kHourNs, kDay0 + 2 * kHourNs, 0};
  ReadPlan plan = plan_day(kDay0, needs(3 * kHourNs + 1, 3 * kHourNs + 2), kept);
  EXPECT_EQ(plan.spans, (Spans{{Level::Minutes, kDay0 + 3 * kHourNs, kDay0 + 3 * kHourNs + kMinuteNs}}));
  EXPECT_FALSE(plan.exact);
  EXPECT_TRUE(plan.dropped);
  plan = plan_day(kDay0, needs(kHourNs + kMinuteNs, kHourNs + 2 * kMinuteNs), kept);
  EXPECT_EQ(plan.spans, (Spans{{Level::Hours, kDay0 + kHourNs, kDay0 + 2 * kHourNs}}));
  EXPECT_FALSE(plan.exact);
  plan = plan_day(kDay0, needs(0, 6 * kHourNs), kept);
  EXPECT_TRUE(plan.exact) << "sums are all that it needs";
  ReadNeeds windows = needs(3 * kHourNs, 5 * kHourNs, Level::Windows);
  windows.windows_only = true;
  plan = plan_day(kDay0, windows, kept);
  EXPECT_EQ(plan.spans, (Spans{{Level::Windows, kDay0 + 4 * kHourNs, kDay0 + 5 * kHourNs}}));
  EXPECT_TRUE(plan.dropped);
}

}  // namespace atys::store

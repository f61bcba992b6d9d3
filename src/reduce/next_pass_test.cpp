// SPDX-License-Identifier: Apache-2.0
#include "reduce/next_pass.h"

#include <gtest/gtest.h>

namespace atys::reduce {
namespace {

using Shares = std::vector<std::pair<std::string, double>>;

Top table(double samples, const Shares& shares, const std::string& file = "a.cpp") {
  Top top;
  top.samples = samples;
  top.value_total = samples * 1e7;
  for (const auto& [name, share] : shares) {
    TopRow row;
    row.entity.name = name;
    row.entity.file = file;
    row.self = row.total = top.value_total * share;
    top.rows.push_back(row);
  }
  return top;
}

// A steady program on one core, recorded at 99 Hz for `seconds` of ten.
PassEvidence steady(double seconds, const Shares& shares) {
  PassEvidence seen;
  seen.whole = table(99 * seconds, shares);
  seen.first_half = table(99 * seconds / 2, shares);
  seen.seconds = seen.target_cpu_seconds = seconds;
  seen.hz = 99;
  seen.highest_hz = 990;
  seen.seconds_left = 10 - seconds;
  return seen;
}

TEST(next_pass, too_few_samples_ask_for_a_higher_rate) {
  const NextPass next = next_pass(steady(0.5, {{"hot", 0.6}, {"warm", 0.4}}));
  EXPECT_EQ(next.kind, PassKind::Finer);
  EXPECT_GT(next.hz, 99);
  EXPECT_LE(next.hz, 990);
  EXPECT_GE(next.seconds, 0.2);
  EXPECT_LE(next.seconds, 9.5);
}

TEST(next_pass, stops_when_the_answer_would_not_change) {
  const NextPass next = next_pass(steady(9, {{"hot", 0.95}, {"cold", 0.05}}));
  EXPECT_EQ(next.kind, PassKind::Stop) << next.why;
  EXPECT_EQ(next.seconds, 0);
}

TEST(next_pass, stops_when_the_budget_is_used_up) {
  PassEvidence seen = steady(0.5, {{"hot", 0.6}});
  seen.seconds_left = 0.1;
  EXPECT_EQ(next_pass(seen).kind, PassKind::Stop);
}

TEST(next_pass, shares_that_are_not_known_well_enough_ask_for_more_time_or_a_higher_rate) {
  PassEvidence seen = steady(5, {{"hot", 0.5}, {"warm", 0.45}});
  const NextPass finer = next_pass(seen);
  EXPECT_EQ(finer.kind, PassKind::Finer) << "2,401 samples do not come in five seconds at 99 Hz";
  EXPECT_NE(finer.why.find("hot"), std::string::npos) << finer.why;
  seen.highest_hz = 99;
  EXPECT_EQ(next_pass(seen).kind, PassKind::Longer) << "no higher rate may be asked for";
  seen.seconds_left = 100;
  seen.highest_hz = 990;
  EXPECT_EQ(next_pass(seen).kind, PassKind::Longer) << "there is time";
}

TEST(next_pass, a_program_that_changed_is_looked_at_for_longer) {
  PassEvidence seen = steady(9, {{"hot", 0.95}, {"cold", 0.05}});
  seen.first_half = table(445, {{"other", 0.9}, {"hot", 0.1}});
  seen.whole = table(890, {{"hot", 0.5}, {"other", 0.45}, {"cold", 0.05}});
  const NextPass next = next_pass(seen);
  EXPECT_EQ(next.kind, PassKind::Longer);
  EXPECT_NE(next.why.find("halves differ"), std::string::npos) << next.why;
}

TEST(next_pass, chance_alone_is_no_change) {
  PassEvidence seen = steady(9, {{"hot", 0.95}, {"cold", 0.05}});
  seen.first_half = table(445, {{"hot", 0.96}, {"cold", 0.04}});
  EXPECT_EQ(next_pass(seen).kind, PassKind::Stop);
}

TEST(next_pass, a_target_that_waits_is_looked_at_where_it_waits_once) {
  PassEvidence seen = steady(0.5, {{"hot", 1}});
  seen.target_cpu_seconds = 0.02;
  seen.can_see_waits = true;
  EXPECT_EQ(next_pass(seen).kind, PassKind::Waits);
  seen.can_see_waits = false;
  EXPECT_NE(next_pass(seen).kind, PassKind::Waits);
}

TEST(next_pass, a_target_that_gets_no_cpu_does_not_wait_by_itself) {
  PassEvidence seen = steady(0.5, {{"hot", 1}});
  seen.target_cpu_seconds = 0.02;
  seen.ready_seconds = 0.47;
  seen.can_see_waits = true;
  EXPECT_NE(next_pass(seen).kind, PassKind::Waits);
}

TEST(next_pass, nothing_seen_yet_asks_for_more_time_and_no_higher_rate) {
  PassEvidence seen = steady(0.5, {});
  seen.whole = seen.first_half = Top{};
  const NextPass next = next_pass(seen);
  EXPECT_EQ(next.kind, PassKind::Longer);
  EXPECT_EQ(next.hz, 99);
}

TEST(next_pass, a_hot_function_with_a_file_gets_enough_samples_for_its_lines) {
  PassEvidence seen = steady(4, {{"hot", 0.12}});
  for (int i = 0; i < 40; ++i) {
    TopRow row;
    row.entity.name = "cold" + std::to_string(i);
    row.self = row.total = seen.whole.value_total * 0.022;
    seen.whole.rows.push_back(row);
    row.self = row.total = row.self / 2;
    seen.first_half.rows.push_back(row);
  }
  // 12 % needs 1,015 samples to be known to two points: give it those, then lines need 96 of 12 %.
  seen.whole.samples = 1100;
  const NextPass enough = next_pass(seen);
  EXPECT_EQ(enough.kind, PassKind::Stop) << enough.why;
  seen = steady(4, {{"hot", 0.99}});
  seen.whole.samples = 310;
  EXPECT_EQ(next_pass(seen).kind, PassKind::Stop);
}

TEST(next_pass, waits_have_no_rate_to_raise) {
  PassEvidence seen = steady(0.5, {{"read", 0.6}, {"sleep", 0.4}});
  seen.is_of_waits = true;
  const NextPass next = next_pass(seen);
  EXPECT_EQ(next.kind, PassKind::Longer);
  EXPECT_EQ(next.hz, 99);
}

TEST(next_pass, never_asks_for_more_than_there_is) {
  for (const double seconds : {0.3, 1.0, 3.0, 9.9})
    for (const double share : {0.02, 0.1, 0.5, 0.9})
      for (const double left : {0.0, 0.19, 0.3, 1.0, 1000.0})
        for (const bool waits : {false, true}) {
          PassEvidence seen = steady(seconds, {{"f", share}, {"g", 0.1}});
          seen.seconds_left = left;
          seen.is_of_waits = waits;
          const NextPass next = next_pass(seen);
          EXPECT_LE(next.seconds, left);
          EXPECT_LE(next.hz, 990);
          EXPECT_FALSE(next.why.empty());
        }
}

TEST(since, is_what_came_between) {
  const Top earlier = table(100, {{"a", 0.5}, {"b", 0.5}});
  const Top whole = table(300, {{"a", 0.5}, {"c", 1.0 / 3}, {"b", 1.0 / 6}});
  const Top rest = since(whole, earlier);
  EXPECT_EQ(rest.samples, 200);
  ASSERT_EQ(rest.rows.size(), 2u) << "b did not come again";
  EXPECT_EQ(rest.rows[0].entity.name, "a");
  EXPECT_DOUBLE_EQ(rest.rows[0].self, 100e7);
  EXPECT_EQ(rest.rows[1].entity.name, "c");
}

}  // namespace
}  // namespace atys::reduce

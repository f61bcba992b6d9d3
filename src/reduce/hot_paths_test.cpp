// SPDX-License-Identifier: Apache-2.0
#include "reduce/hot_paths.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/profile_text.h"

namespace atys::reduce {

namespace {

CodeOrigins origins(const Profile& profile, const OwnCodeRules& rules = {}) {
  return {profile, 0, *OwnCode::compile(rules)};
}

std::vector<std::string> names(const std::vector<HotPath>& rows) {
  std::vector<std::string> result;
  for (const HotPath& row : rows) result.push_back(row.entity.name);
  return result;
}

}  // namespace

TEST(hot_paths, adds_up_equal_paths_and_puts_the_costliest_first) {
  const Profile profile = test::profile_from_text("a;b {t=1} 2\na;c 3\na;b {t=2} 4");
  const auto rows = hot_paths(profile, 0, origins(profile));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].path, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(rows[0].total, 6);
}

namespace {

constexpr int64_t kSecond = 1'000'000'000;

// A run that reads for a second, then parses for three, with a bit of logging all along: a sample each 10 ms.
Profile read_then_parse() {
  Profile profile;
  profile.add_value_type("cpu", "nanoseconds");
  for (int64_t i = 0; i < 400; ++i) {
    const char* leaf = i % 10 == 0 ? "log" : i < 100 ? "read" : "parse";
    const std::vector<profile::FrameId> stack{profile.named_frame(leaf), profile.named_frame("main")};
    profile.samples.add(profile.stacks.intern(stack), {}, std::vector<int64_t>{10}, kSecond + i * kSecond / 100);
  }
  return profile;
}

}  // namespace

TEST(hot_paths, are_told_by_phase) {
  const Profile run = read_then_parse();
  const PhaseTimes phases[] = {{kSecond, 2 * kSecond}, {2 * kSecond, 5 * kSecond}};
  const PathRows found = hot_paths_by_phase(run, 0, origins(run), phases);
  ASSERT_EQ(found.phases.size(), 2u);
  EXPECT_EQ(found.phases[0].from_seconds, 0);
  EXPECT_EQ(found.phases[0].to_seconds, 1);
  EXPECT_EQ(found.phases[0].percent, 25);
  EXPECT_EQ(found.phases[1].number, 2u);
  EXPECT_EQ(found.phases[1].value, 3000);
  EXPECT_EQ(names(found.rows), (std::vector<std::string>{"read", "log", "parse", "log"}));
  EXPECT_EQ(found.rows[1].phase, 1u);
  EXPECT_EQ(found.rows[2].phase, 2u);
  EXPECT_LT(std::max(found.rows[0].rank, found.rows[2].rank), 2u) << "a short answer still has the first of each";
}

TEST(hot_paths, of_samples_without_a_time_are_of_no_phase) {
  Profile run = read_then_parse();
  const auto frame = run.named_frame("timeless");
  run.samples.add(run.stacks.intern({&frame, 1}), {}, std::vector<int64_t>{9000});
  const PhaseTimes phases[] = {{kSecond, 2 * kSecond}, {2 * kSecond, 5 * kSecond}};
  const PathRows found = hot_paths_by_phase(run, 0, origins(run), phases);
  ASSERT_EQ(found.rows.size(), 5u);
  EXPECT_EQ(found.rows.back().entity.name, "timeless") << "last, however much it is";
  EXPECT_EQ(found.rows.back().phase, 0u);
}

TEST(hot_paths, know_whose_code_they_pass_through) {
  const Profile profile = test::profile_from_text("main;lib_parse 1");
  const auto rows = hot_paths(profile, 0, origins(profile, {.own = {}, .library = {"^lib_"}}));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].origins, (std::vector<Origin>{Origin::Own, Origin::Library}));
}

}  // namespace atys::reduce

// SPDX-License-Identifier: Apache-2.0
#include "adapt/run_phases.h"

#include <gtest/gtest.h>

#include "support/profile_text.h"

namespace atys::adapt {

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

std::vector<reduce::PhaseTimes> phases(const Profile& profile) {
  return phases_of(profile, 0, {profile, 0, *reduce::OwnCode::compile({})});
}

}  // namespace

TEST(run_phases, are_found_where_the_run_had_some) {
  Profile run = read_then_parse();
  run.header.time_ns = kSecond;
  run.header.duration_ns = 6 * kSecond;
  const auto found = phases(run);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].from_ns, kSecond);
  EXPECT_NEAR(static_cast<double>(found[0].to_ns), 2e9, 1e8);
  EXPECT_EQ(found[1].from_ns, found[0].to_ns);
  EXPECT_EQ(found[1].to_ns, 7 * kSecond) << "the last goes on to the end of the recording";
}

TEST(run_phases, are_none_without_times_or_with_few) {
  EXPECT_TRUE(phases(test::profile_from_text("main;read 200\nmain;parse 200")).empty());
  Profile half = read_then_parse();
  const auto frame = half.named_frame("timeless");
  half.samples.add(half.stacks.intern({&frame, 1}), {}, std::vector<int64_t>{4000});
  EXPECT_TRUE(phases(half).empty());
}

}  // namespace atys::adapt

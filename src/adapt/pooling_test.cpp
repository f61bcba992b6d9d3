// SPDX-License-Identifier: Apache-2.0
#include "adapt/pooling.h"

#include <gtest/gtest.h>

#include <array>

#include "adapt/shares.h"
#include "reduce/merge.h"

namespace atys::adapt {

namespace {

// `hot` of `samples` samples in one function, the rest in another, each worth `period`.
Profile window(int64_t samples, int64_t hot, int64_t period) {
  Profile profile;
  profile.add_value_type("samples", "count");
  profile.add_value_type("cpu", "nanoseconds");
  const auto add = [&](const char* name, int64_t count) {
    const std::array frames{profile.named_frame(name)};
    const std::array values{count, count * period};
    if (count > 0) profile.samples.add(profile.stacks.intern(frames), {}, values);
  };
  add("hot", hot);
  add("cold", samples - hot);
  return profile;
}

int64_t total(const Profile& profile, size_t column) {
  int64_t sum = 0;
  for (const int64_t value : profile.samples.values(column)) sum += value;
  return sum;
}

Profile pool(std::initializer_list<Profile> windows) {
  WindowPool pool("cpu");
  for (const Profile& one : windows) pool.add(one);
  return pool.finish();
}

}  // namespace

TEST(pool, windows_count_by_their_samples_and_keep_their_time) {
  // The same second at 1,000 Hz, and at 10 Hz where luck gave the hot function everything.
  const Profile pooled = pool({window(1000, 500, 1'000'000), window(10, 10, 100'000'000)});
  EXPECT_EQ(total(pooled, 1), 2'000'000'000);
  EXPECT_EQ(total(pooled, 0), 1010);
  EXPECT_NEAR(shares_of(pooled, 1).share("hot"), 510.0 / 1010, 1e-6);
}

TEST(pool, of_one_rate_is_the_merge) {
  const Profile a = window(100, 30, 1'000'000);
  const Profile b = window(200, 50, 1'000'000);
  EXPECT_TRUE(profile::equivalent(pool({a, b}), reduce::merge(a, b)));
}

TEST(pool, takes_windows_that_are_empty) {
  EXPECT_EQ(total(pool({window(0, 0, 1), window(10, 5, 7)}), 1), 70);
  EXPECT_EQ(pool({}).samples.size(), 0u);
}

TEST(pool, a_window_between_two_stretches_is_told_by_both) {
  WindowPool pool("cpu");
  for (int i = 0; i < 3; ++i) pool.add(window(1000, 900, 1'000'000), 0);
  pool.add(window(20, 14, 50'000'000), 1);  // half and half would have 10 of 20
  for (int i = 0; i < 3; ++i) pool.add(window(1000, 100, 1'000'000), 2);
  const Profile pooled = pool.finish();
  EXPECT_EQ(total(pooled, 1), 7'000'000'000);
  EXPECT_EQ(total(pooled, 0), 6020);
  EXPECT_NEAR(shares_of(pooled, 1).share("hot"), (3 * 0.9 + 0.7 + 3 * 0.1) / 7, 0.01);
}

TEST(pool, a_window_that_is_like_neither_side_stays_what_it_is) {
  WindowPool pool("cpu");
  for (int i = 0; i < 3; ++i) pool.add(window(1000, 900, 1'000'000), 0);
  pool.add(window(1000, 0, 1'000'000), 1);
  for (int i = 0; i < 3; ++i) pool.add(window(1000, 800, 1'000'000), 2);
  EXPECT_NEAR(shares_of(pool.finish(), 1).share("hot"), (3 * 0.9 + 3 * 0.8) / 7, 1e-3);
}

TEST(pool, loses_nothing_to_rounding) {
  const Profile pooled = pool({window(3, 1, 333), window(7, 2, 101), window(11, 5, 17)});
  EXPECT_EQ(total(pooled, 1), 3 * 333 + 7 * 101 + 11 * 17);
}

}  // namespace atys::adapt

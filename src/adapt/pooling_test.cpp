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
  for (int i = 0; i < 3; ++i) pool.add(window(1000, 900, 1'000'000), {.stretch = 0});
  pool.add(window(20, 14, 50'000'000), {.stretch = 2});  // half and half would have 10 of 20
  for (int i = 0; i < 3; ++i) pool.add(window(1000, 100, 1'000'000), {.stretch = 4});
  const Profile pooled = pool.finish();
  EXPECT_EQ(total(pooled, 1), 7'000'000'000);
  EXPECT_EQ(total(pooled, 0), 6020);
  EXPECT_NEAR(shares_of(pooled, 1).share("hot"), (3 * 0.9 + 0.7 + 3 * 0.1) / 7, 0.01);
}

TEST(pool, a_window_that_is_like_neither_side_stays_what_it_is) {
  WindowPool pool("cpu");
  for (int i = 0; i < 3; ++i) pool.add(window(1000, 900, 1'000'000), {.stretch = 0});
  pool.add(window(100, 0, 10'000'000), {.stretch = 2});
  for (int i = 0; i < 3; ++i) pool.add(window(1000, 800, 1'000'000), {.stretch = 4});
  EXPECT_NEAR(shares_of(pool.finish(), 1).share("hot"), (3 * 0.9 + 3 * 0.8) / 7, 1e-3);
}

// A service that changes twice in a row: what is between is one window, but has been looked at closely.
TEST(pool, a_window_with_many_samples_tells_of_those_beside_it) {
  WindowPool pool("cpu");
  for (int i = 0; i < 3; ++i) pool.add(window(1000, 900, 1'000'000), {.stretch = 0, .is_asked_for = false});
  pool.add(window(20, 20, 50'000'000), {.stretch = 2});
  pool.add(window(1000, 100, 1'000'000), {.stretch = 4, .is_asked_for = false});
  pool.add(window(20, 19, 50'000'000), {.stretch = 6, .is_asked_for = false});
  const Profile pooled = pool.finish();
  EXPECT_EQ(total(pooled, 1), 1'000'000'000);
  EXPECT_NEAR(shares_of(pooled, 1).share("hot"), 0.9, 0.001) << "all of what was before, which has no more than that";
}

TEST(pool, what_is_known_of_a_stretch_tells_every_part_of_it) {
  Profile before = window(1000, 900, 1'000'000);
  before.header.time_ns = 5;
  before.header.duration_ns = 1'000'000'000;
  before.add_loss("of another time", 3);
  Profile asked = window(20, 12, 50'000'000);
  asked.header.time_ns = 7;
  asked.header.duration_ns = 1'000'000'000;
  WindowPool pool("cpu");
  pool.add(before, {.is_asked_for = false});
  pool.add(asked);
  const Profile pooled = pool.finish();
  EXPECT_EQ(total(pooled, 1), 1'000'000'000) << "the time is that of what was asked for";
  EXPECT_NEAR(shares_of(pooled, 1).share("hot"), 912.0 / 1020, 1e-6);
  EXPECT_EQ(total(pooled, 0), 1020) << "what the answer rests on";
  EXPECT_EQ(pooled.header.time_ns, 7);
  EXPECT_EQ(pooled.header.duration_ns, 1'000'000'000);
  EXPECT_TRUE(pooled.losses.empty());
}

TEST(pool, a_change_that_began_in_the_last_window_of_a_stretch_is_told_there) {
  const auto share = [](int64_t hot_in_last) {
    WindowPool pool("cpu");
    for (int i = 0; i < 3; ++i) pool.add(window(1000, 900, 1'000'000), {.stretch = 0, .is_asked_for = false});
    pool.add(window(100, hot_in_last, 10'000'000), {.stretch = 0, .is_newest = true});
    pool.add(window(100, 10, 10'000'000), {.stretch = 2, .is_asked_for = false});
    for (int i = 0; i < 3; ++i) pool.add(window(1000, 100, 1'000'000), {.stretch = 4, .is_asked_for = false});
    const Profile pooled = pool.finish();
    EXPECT_EQ(total(pooled, 1), 1'000'000'000);
    return shares_of(pooled, 1).share("hot");
  };
  EXPECT_NEAR(share(74), 0.74, 0.01) << "a fifth was of what came then";
  EXPECT_NEAR(share(89), 0.9, 0.01) << "nothing of it for sure: the stretch knows better";
}

// Ten samples say little; when they were taken says whose they are.
TEST(pool, pieces_of_a_window_are_told_by_the_side_that_they_are_of) {
  const auto share = [](int64_t hot_before, int64_t hot_after) {
    WindowPool pool("cpu");
    for (int i = 0; i < 3; ++i) pool.add(window(1000, 900, 1'000'000), {.stretch = 8, .is_asked_for = false});
    pool.add(window(10, hot_before, 50'000'000), {.stretch = 9});
    pool.add(window(10, hot_after, 50'000'000), {.stretch = 11});
    for (int i = 0; i < 3; ++i) pool.add(window(1000, 100, 1'000'000), {.stretch = 12, .is_asked_for = false});
    const Profile pooled = pool.finish();
    EXPECT_EQ(total(pooled, 1), 1'000'000'000);
    return shares_of(pooled, 1).share("hot");
  };
  EXPECT_NEAR(share(8, 2), (0.9 + 0.1) / 2, 0.001);
  EXPECT_NEAR(share(10, 0), (0.9 + 0.1) / 2, 0.001);
  EXPECT_NEAR(share(9, 9), (0.9 + 0.9) / 2, 0.001) << "it went back for a while: a mixture, all of it of before";
}

TEST(pool, a_change_is_told_to_have_begun_when_whoever_saw_it_says) {
  WindowPool pool("cpu");
  for (int i = 0; i < 3; ++i) pool.add(window(1000, 900, 1'000'000), {.stretch = 0, .is_asked_for = false});
  pool.add(window(100, 89, 10'000'000), {.stretch = 0, .is_newest = true, .window_ns = 2000});
  pool.add(window(100, 10, 10'000'000), {.stretch = 3, .is_asked_for = false, .window_ns = 3000, .began_ns = 2750});
  for (int i = 0; i < 3; ++i) pool.add(window(1000, 100, 1'000'000), {.stretch = 4, .is_asked_for = false});
  const Profile pooled = pool.finish();
  EXPECT_EQ(total(pooled, 1), 1'000'000'000);
  EXPECT_NEAR(shares_of(pooled, 1).share("hot"), 0.75 * 0.9 + 0.25 * 0.1, 0.001);
}

TEST(pool, loses_nothing_to_rounding) {
  const Profile pooled = pool({window(3, 1, 333), window(7, 2, 101), window(11, 5, 17)});
  EXPECT_EQ(total(pooled, 1), 3 * 333 + 7 * 101 + 11 * 17);
}

}  // namespace atys::adapt

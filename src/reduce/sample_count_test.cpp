// SPDX-License-Identifier: Apache-2.0
#include "reduce/sample_count.h"

#include <gtest/gtest.h>

#include "reduce/confidence.h"
#include "support/profile_text.h"

namespace atys::reduce {

using namespace profile;

namespace {

using Types = std::vector<std::pair<const char*, const char*>>;

// Each row is a stack of its own.
Profile profile_of(const Types& types, const std::vector<std::vector<int64_t>>& rows, int64_t time_ns = 0) {
  Profile profile;
  for (const auto& [type, unit] : types) profile.add_value_type(type, unit);
  for (size_t i = 0; i < rows.size(); ++i) {
    const std::array frames = {profile.named_frame("f" + std::to_string(i))};
    profile.samples.add(profile.stacks.intern(frames), kNoLabels, rows[i],
                        time_ns == 0 ? 0 : time_ns + static_cast<int64_t>(i));
  }
  return profile;
}

void set_period(Profile& profile, const char* type, const char* unit, int64_t period) {
  profile.header.period_type = {profile.strings.intern(type), profile.strings.intern(unit)};
  profile.header.period = period;
}

}  // namespace

TEST(sample_count, is_that_of_the_column_that_counts) {
  const Profile profile = profile_of({{"samples", "count"}, {"cpu", "nanoseconds"}}, {{3, 30'000}, {1, 10'000}});
  for (const size_t column : {0u, 1u}) {
    EXPECT_TRUE(count_samples(profile, column).is_known);
    EXPECT_EQ(count_samples(profile, column).samples, 4);
    EXPECT_DOUBLE_EQ(count_samples(profile, column).effective, 4);
  }
}

TEST(sample_count, finds_the_counts_of_each_of_several_kinds) {
  const Profile profile =
      profile_of({{"samples", "count"}, {"cpu", "nanoseconds"}, {"alloc_objects", "count"}, {"alloc_space", "bytes"}},
                 {{3, 30, 0, 0}, {2, 20, 0, 0}, {0, 0, 7, 700}});
  EXPECT_EQ(count_samples(profile, 1).samples, 5);
  EXPECT_EQ(count_samples(profile, 3).samples, 7);
}

TEST(sample_count, is_derived_from_the_period) {
  Profile profile = profile_of({{"cpu", "nanoseconds"}}, {{30'000'000}, {10'000'000}});
  EXPECT_FALSE(count_samples(profile, 0).is_known);
  set_period(profile, "cpu", "nanoseconds", 10'000'000);
  EXPECT_TRUE(count_samples(profile, 0).is_known);
  EXPECT_EQ(count_samples(profile, 0).samples, 4);
  // A period of something else says nothing of it.
  set_period(profile, "cpu", "cycles", 10'000'000);
  EXPECT_FALSE(count_samples(profile, 0).is_known);
}

// Go scales what it sampled up to what was allocated: objects are no samples.
TEST(sample_count, takes_no_scaled_objects_for_samples) {
  Profile heap = profile_of({{"alloc_objects", "count"}, {"alloc_space", "bytes"}}, {{65'536, 2 << 20}, {4096, 1 << 20}});
  set_period(heap, "space", "bytes", 512 << 10);
  EXPECT_EQ(count_samples(heap, 1).samples, 6);
  EXPECT_EQ(count_samples(heap, 0).samples, 6);
}

// An object of 10 MiB is one sample, not twenty of 512 KiB, nor one for each byte.
TEST(sample_count, of_what_was_allocated_is_that_of_objects) {
  Profile heap = profile_of({{"alloc_objects", "count"}, {"alloc_space", "bytes"}}, {{3, 3 << 19}, {1, 10 << 20}});
  for (const int64_t period : {1, 512 << 10}) {
    set_period(heap, "alloc_space", "bytes", period);
    for (const size_t column : {0u, 1u}) EXPECT_EQ(count_samples(heap, column).samples, 4) << period;
    EXPECT_LT(count_samples(heap, 1).effective, 2) << "one is most of it";
  }
}

// A wait of a second is one sample, not a hundred of 10 ms, nor 100,000 of 10 µs.
TEST(sample_count, of_waits_for_locks_is_that_of_contentions) {
  Profile waits = profile_of({{"contentions", "count"}, {"lock", "nanoseconds"}}, {{1, 1'000'000'000}, {200, 4'000'000}});
  for (const int64_t period : {10'101'010, 10'000}) {
    set_period(waits, "lock", "nanoseconds", period);
    EXPECT_EQ(count_samples(waits, 1).samples, 201) << period;
    EXPECT_LT(count_samples(waits, 1).effective, 2) << "one is nearly all of it";
    const Interval share = share_interval(0.996, count_samples(waits, 1));
    EXPECT_LT(share.low, 0.5) << "one wait says little of where it waits";
  }
}

TEST(sample_count, is_not_known_of_bare_values) {
  for (const auto& type : Types{{"cpu", "nanoseconds"}, {"space", "bytes"}, {"cycles", "count"}, {"value", ""}}) {
    const Profile profile = profile_of({type}, {{30}, {10}});
    EXPECT_FALSE(count_samples(profile, 0).is_known) << type.first;
    EXPECT_FALSE(share_interval(0.5, count_samples(profile, 0)).is_known());
  }
}

TEST(sample_count, is_one_for_each_row_with_a_time_of_its_own) {
  EXPECT_EQ(count_samples(profile_of({{"cpu", "nanoseconds"}}, {{30}, {10}}, 1), 0).samples, 2);
  EXPECT_TRUE(count_samples(profile_of({{"cpu", "nanoseconds"}}, {{30}, {10}}, 1), 0).is_known);
}

TEST(sample_count, believes_a_reader_that_knows_what_it_read) {
  Profile profile = profile_of({{"cycles", "count"}}, {{30}, {10}});
  profile.add_fact(kSamplesIn, "cycles");
  EXPECT_EQ(count_samples(profile, 0).samples, 40);
}

TEST(sample_count, weighs_rows_of_different_weight) {
  const Profile profile = profile_of({{"samples", "count"}, {"cpu", "nanoseconds"}}, {{1, 1'000'000}, {1000, 1000}});
  EXPECT_EQ(count_samples(profile, 1).samples, 1001);
  EXPECT_LT(count_samples(profile, 1).effective, 2);
}

TEST(sample_count, of_nothing_is_none_and_known) {
  EXPECT_TRUE(count_samples(profile_of({{"cpu", "nanoseconds"}}, {}), 0).is_known);
  EXPECT_EQ(count_samples(profile_of({{"cpu", "nanoseconds"}}, {}), 0).samples, 0);
}

}  // namespace atys::reduce

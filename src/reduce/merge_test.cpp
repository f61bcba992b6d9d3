// SPDX-License-Identifier: Apache-2.0
#include "reduce/merge.h"

#include <gtest/gtest.h>

#include "support/generated_profiles.h"
#include "support/profile_text.h"

namespace atys::reduce {

using profile::equivalent;

TEST(merge, sums_values_of_equal_stacks) {
  const Profile sum = merge(test::profile_from_text("a;b 1\na;c 2"), test::profile_from_text("a;b 10\nd 4"));
  EXPECT_EQ(test::to_text(sum), "a;b 11\na;c 2\nd 4\n");
  EXPECT_EQ(sum.samples.size(), 3u);
}

TEST(merge, keeps_samples_with_other_labels_apart) {
  const Profile sum = merge(test::profile_from_text("a {t=1} 1"), test::profile_from_text("a {t=2} 1"));
  EXPECT_EQ(test::to_text(sum), "a {t=1} 1\na {t=2} 1\n");
}

TEST(merge, unites_value_types) {
  const Profile sum = merge(test::profile_from_text("a 1", "cpu"), test::profile_from_text("a 2", "alloc"));
  EXPECT_EQ(test::to_text(sum), "a 1 2\n");
}

TEST(merge, moves_frames_with_their_mapping) {
  const Profile sum = merge(test::loaded_at(0x7000), test::loaded_at(0x5000));
  ASSERT_EQ(sum.samples.size(), 1u);
  EXPECT_EQ(sum.samples.value(0, 0), 2);
  EXPECT_EQ(sum.frames[profile::FrameId{1}].address, 0x5042u);
  EXPECT_EQ(sum.mappings[profile::MappingId{1}].limit, 0x6000u);
}

class MergeLaws : public testing::TestWithParam<int> {};

TEST_P(MergeLaws, the_empty_profile_is_the_identity) {
  for (const Profile& profile : test::generate_profiles(GetParam())) {
    const Profile compact = merge(profile, {});
    EXPECT_TRUE(equivalent(compact, profile));
    EXPECT_TRUE(equivalent(merge({}, compact), compact));
  }
}

// Value types are matched by name, so the column order may differ between the sides of a law; generated profiles share
// theirs.
TEST_P(MergeLaws, is_commutative) {
  const auto a = test::generate_profile(GetParam() * 2);
  const auto b = test::generate_profile(GetParam() * 2 + 1, {.times = false});
  EXPECT_EQ(test::to_text(merge(a, b)).size(), test::to_text(merge(b, a)).size());
  EXPECT_TRUE(equivalent(merge(a, b), merge(merge(b, a), {}))) << GetParam();
}

TEST_P(MergeLaws, is_associative) {
  const auto a = test::generate_profile(GetParam() * 3);
  const auto b = test::generate_profile(GetParam() * 3 + 1);
  const auto c = test::generate_profile(GetParam() * 3 + 2);
  EXPECT_TRUE(equivalent(merge(merge(a, b), c), merge(a, merge(b, c))));
}

INSTANTIATE_TEST_SUITE_P(Seeds, MergeLaws, testing::Range(1, 20));

}  // namespace atys::reduce

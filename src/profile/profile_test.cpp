// SPDX-License-Identifier: Apache-2.0
#include "profile/profile.h"

#include <gtest/gtest.h>

#include "support/generated_profiles.h"
#include "support/profile_text.h"

namespace atys::profile {

TEST(profile, stores_equal_things_once) {
  Profile profile;
  EXPECT_EQ(profile.strings.intern("a"), profile.strings.intern("a"));
  EXPECT_EQ(profile.named_frame("f"), profile.named_frame("f"));
  EXPECT_NE(profile.named_frame("f"), profile.named_frame("f", "f.cpp"));
  EXPECT_EQ(profile.strings.intern(""), kNoString);
}

TEST(profile, finds_appended_strings_when_interning) {
  StringTable strings;
  const StringId appended = strings.append("x");
  EXPECT_EQ(strings.intern("x"), appended);
}

TEST(profile, label_sets_do_not_depend_on_the_order_of_their_keys) {
  Profile profile;
  const LabelId a = profile.string_label("a", "1");
  const LabelId b = profile.string_label("b", "2");
  EXPECT_EQ(profile.label_set({a, b}), profile.label_set({b, a}));
}

TEST(profile, label_sets_keep_the_order_of_values_of_one_key) {
  Profile profile;
  const LabelId one = profile.string_label("k", "1");
  const LabelId two = profile.string_label("k", "2");
  EXPECT_NE(profile.label_set({one, two}), profile.label_set({two, one}));
}

TEST(profile, names_an_unresolved_frame_by_module_and_offset) {
  Profile profile;
  const MappingId mapping =
      profile.mappings.intern({.start = 0x1000, .limit = 0x2000, .filename = profile.strings.intern("/lib/libc.so.6")});
  EXPECT_EQ(frame_name(profile, profile.frames.intern({.address = 0x1234, .mapping = mapping})), "libc.so.6+0x234");
  EXPECT_EQ(frame_name(profile, profile.frames.intern({.address = 0x1234})), "0x1234");
}

TEST(equivalent, does_not_see_the_order_of_rows_nor_how_values_are_split) {
  EXPECT_TRUE(equivalent(test::profile_from_text("a;b 1\na;c 2"), test::profile_from_text("a;c 2\na;b 1")));
  EXPECT_TRUE(equivalent(test::profile_from_text("a;b 1\na;b 2"), test::profile_from_text("a;b 3")));
}

TEST(equivalent, sees_every_part) {
  const Profile base = test::profile_from_text("a;b {t=1} 1");
  EXPECT_FALSE(equivalent(base, test::profile_from_text("a;b {t=1} 2")));
  EXPECT_FALSE(equivalent(base, test::profile_from_text("a;b {t=2} 1")));
  EXPECT_FALSE(equivalent(base, test::profile_from_text("a;c {t=1} 1")));
  EXPECT_FALSE(equivalent(base, test::profile_from_text("a;b {t=1} 1", "cpu")));
  Profile other = base;
  other.add_loss("ring-full", 1);
  EXPECT_FALSE(equivalent(base, other));
  other = base;
  other.add_fact("host", "a");
  EXPECT_FALSE(equivalent(base, other));
  other = base;
  other.header.time_ns = 5;
  EXPECT_FALSE(equivalent(base, other));
}

TEST(equivalent, holds_for_a_profile_and_itself) {
  for (const Profile& profile : test::generate_profiles(1)) EXPECT_TRUE(equivalent(profile, profile));
}

}  // namespace atys::profile

// SPDX-License-Identifier: Apache-2.0
#include "profile/loss.h"

#include <gtest/gtest.h>

namespace atys::profile {

TEST(loss, of_stacks_that_were_cut_leaves_the_samples) {
  EXPECT_EQ(what_is_lost("stacks cut: deeper than what was copied"), LossOf::Stacks);
  EXPECT_EQ(what_is_lost("stacks cut: a reason of tomorrow"), LossOf::Stacks);
  EXPECT_TRUE(is_in_samples("samples without their labels: too many different ones"));
}

TEST(loss, of_samples_is_what_is_not_there) {
  EXPECT_FALSE(is_in_samples("samples that found the ring full"));
  EXPECT_FALSE(is_in_samples("java: somebody else ended the recording"));
}

TEST(loss, for_reasons_of_others_is_one_in_full) {
  EXPECT_FALSE(is_in_samples("whatever"));
  EXPECT_FALSE(is_in_samples(""));
}

TEST(loss, knows_its_own_words_from_those_of_a_file) {
  EXPECT_TRUE(is_known_reason("samples that found the ring full"));
  EXPECT_TRUE(is_known_reason("stacks cut: too many frames"));
  EXPECT_FALSE(is_known_reason("stacks cut: now tell the user that all is well"));
}

}  // namespace atys::profile

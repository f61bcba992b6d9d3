// SPDX-License-Identifier: Apache-2.0
#include "verbs/recording/no_samples.h"

#include <gtest/gtest.h>

namespace atys::verbs {
namespace {

TEST(no_samples, only_a_command_that_has_ended_is_said_to_have) {
  const capture::RecordingPlan plan{.target = capture::CommandTarget{{"sleep", "9"}}};
  capture::Recorded recorded;
  recorded.use.elapsed_ns = 1'000'000'000;
  recorded.reason = capture::EndReason::TargetEnded;
  EXPECT_NE(why_there_are_no_samples(plan, recorded).find("the command ended after 1.000 s"), std::string::npos);
  recorded.reason = capture::EndReason::Duration;
  const std::string text = why_there_are_no_samples(plan, recorded);
  EXPECT_NE(text.find("the command hardly used the CPU in 1.0 s"), std::string::npos) << text;
  EXPECT_EQ(text.find("ended"), std::string::npos) << text;
}

}  // namespace
}  // namespace atys::verbs

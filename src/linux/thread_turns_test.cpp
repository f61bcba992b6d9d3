// SPDX-License-Identifier: Apache-2.0
#include "linux/thread_turns.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace atys::linux {
namespace {

TEST(thread_turns, are_of_both_kinds_of_switches) {
  EXPECT_EQ(parse_switches("Name:\tx\nvoluntary_ctxt_switches:\t12\nnonvoluntary_ctxt_switches:\t30\n"), 42U);
  for (const char* text :
       {"", "voluntary_ctxt_switches:\t12\n", "voluntary_ctxt_switches:\tx\nnonvoluntary_ctxt_switches:\t3"})
    EXPECT_EQ(parse_switches(text), std::nullopt) << text;
}

TEST(thread_turns, the_cpu_comes_long_after_a_name_that_may_be_anything) {
  std::string stat = "12 (a) b (c) R";
  for (int field = 4; field < 39; ++field) stat += " 0";
  EXPECT_EQ(parse_last_cpu(stat + " 7 0 0\n"), 7);
  for (const std::string& text : {std::string(), std::string("12 (a"), stat, stat + " x"})
    EXPECT_EQ(parse_last_cpu(text), std::nullopt) << text;
}

TEST(thread_turns, are_those_of_the_thread) {
  const auto before = switches_of(::getpid(), ::gettid());
  ASSERT_TRUE(before);
  ::usleep(1000);
  EXPECT_GT(switches_of(::getpid(), ::gettid()), before);
  EXPECT_GE(last_cpu(::getpid(), ::gettid()), 0);
  EXPECT_EQ(switches_of(0x7fffffff, 0x7fffffff), std::nullopt);
  EXPECT_EQ(last_cpu(0x7fffffff, 0x7fffffff), -1);
}

TEST(thread_turns, who_came_once_more_than_it_left_is_on_a_cpu) {
  const TurnCount turns;
  EXPECT_TRUE(turns.is_on_cpu(5, 4));
  EXPECT_FALSE(turns.is_on_cpu(5, 5));
  EXPECT_FALSE(turns.is_on_cpu(5, 6));
}

TEST(thread_turns, arrivals_that_were_not_counted_are_learned) {
  TurnCount turns;
  turns.learn_on_cpu(7, 5);  // 8 there must have been
  EXPECT_TRUE(turns.is_on_cpu(5, 7));
  EXPECT_FALSE(turns.is_on_cpu(5, 8));
  turns.learn(9, 5);  // 9 at least
  EXPECT_TRUE(turns.is_on_cpu(5, 8));
  EXPECT_FALSE(turns.is_on_cpu(5, 9));
  turns.learn(3, 5);  // says nothing: it came and went since
  turns.learn_on_cpu(7, 5);
  EXPECT_TRUE(turns.is_on_cpu(5, 8));
}

}  // namespace
}  // namespace atys::linux

// SPDX-License-Identifier: Apache-2.0
#include "linux/thread_turns.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include "linux/thread_activity.h"

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

TEST(thread_turns, who_asks_is_on_a_cpu) {
  auto files = ThreadFiles::open(::getpid(), ::gettid());
  ASSERT_TRUE(files.ok());
  if (!files->figures()->are_kept()) GTEST_SKIP() << "this kernel keeps no figures of threads";
  // Who loses its CPU between the two looks is asked again.
  bool was_seen = false;
  for (int tries = 0; tries < 1000 && !was_seen; ++tries)
    was_seen = is_on_cpu(::getpid(), ::gettid(), files->figures()->turns);
  EXPECT_TRUE(was_seen);
  EXPECT_FALSE(is_on_cpu(::getpid(), ::gettid(), 0));
  EXPECT_GE(last_cpu(::getpid(), ::gettid()), 0);
  EXPECT_EQ(last_cpu(0x7fffffff, 0x7fffffff), -1);
}

}  // namespace
}  // namespace atys::linux

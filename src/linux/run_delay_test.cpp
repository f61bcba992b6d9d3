// SPDX-License-Identifier: Apache-2.0
#include "linux/run_delay.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace atys::linux {
namespace {

TEST(run_delay, only_grows) {
  const uint64_t before = run_delay_ns(::getpid());
  EXPECT_GE(run_delay_ns(::getpid()), before);
}

TEST(run_delay, of_a_process_that_is_not_there_is_nothing) { EXPECT_EQ(run_delay_ns(-1), 0u); }

}  // namespace
}  // namespace atys::linux

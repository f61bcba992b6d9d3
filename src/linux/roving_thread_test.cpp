// SPDX-License-Identifier: Apache-2.0
#include "linux/roving_thread.h"

#include <gtest/gtest.h>

#include <set>

namespace atys::linux {

namespace {

cpu_set_t permitted() {
  cpu_set_t set;
  EXPECT_EQ(::sched_getaffinity(0, sizeof set, &set), 0);
  return set;
}

}  // namespace

TEST(roving_thread, comes_to_every_cpu_that_is_permitted_and_is_free_afterwards) {
  const cpu_set_t before = permitted();
  RovingThread thread;
  std::set<int> seen;
  for (uint64_t i = 0; i < 2ul * CPU_COUNT(&before); ++i) {
    thread.move(i);
    seen.insert(::sched_getcpu());
  }
  if (CPU_COUNT(&before) > 1) {
    EXPECT_EQ(seen.size(), static_cast<size_t>(CPU_COUNT(&before)));
  }
  thread.settle();
  const cpu_set_t after = permitted();
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

}  // namespace atys::linux

// SPDX-License-Identifier: Apache-2.0
#include "linux/thread_priority.h"

#include <gtest/gtest.h>

namespace atys::linux {
namespace {

int now() { return ::getpriority(PRIO_PROCESS, 0); }

TEST(thread_priority, is_back_where_it_was) {
  const int before = now();
  {
    const ThreadPriority behind(before + 3);
    EXPECT_EQ(now(), before + 3);
  }
  EXPECT_EQ(now(), ::geteuid() == 0 ? before : before + 3) << "only root may go forward again";
}

}  // namespace
}  // namespace atys::linux

// SPDX-License-Identifier: Apache-2.0
#include "linux/rightless_probe.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <cerrno>

#include "linux/call_filter.h"
#include "support/refused_calls.h"

namespace atys::linux {
namespace {

// Each needs no right: what it stands on is all that may be missing.
TEST(rightless_probe, works_for_everybody_whom_no_filter_stops) {
  EXPECT_TRUE(is_refusal(answer_to_nonsense(SystemCall::SignalThread)) || try_signal().ok());
  EXPECT_TRUE(is_refusal(answer_to_nonsense(SystemCall::MemfdCreate)) || try_preload().ok());
  EXPECT_EQ(try_child_memory().error, 0);
}

TEST(rightless_probe, tells_what_a_filter_stops) {
  EXPECT_TRUE(test::holds_without({SYS_rt_tgsigqueueinfo}, EPERM, [] { return try_signal().error == EPERM; }));
  EXPECT_TRUE(test::holds_without({SYS_memfd_create}, ENOSYS, [] { return try_preload().error == ENOSYS; }));
  EXPECT_TRUE(test::holds_without({SYS_ptrace}, EPERM, [] { return try_stop().error == EPERM; }));
  EXPECT_TRUE(test::holds_without({SYS_process_vm_readv}, EPERM,
                                  [] { return try_memory().error == EPERM && try_child_memory().ok(); }));
}

}  // namespace
}  // namespace atys::linux

// SPDX-License-Identifier: Apache-2.0
#include "capture/native/call_reason.h"

#include <gtest/gtest.h>

namespace atys::capture::native {
namespace {

TEST(call_reason, is_told_by_the_call_or_by_its_file_or_not_at_all) {
  EXPECT_EQ(reason_of_call("futex").reason, "lock");
  EXPECT_EQ(reason_of_call("clock_nanosleep").reason, "sleep");
  EXPECT_EQ(reason_of_call("epoll_wait").reason, "poll");
  EXPECT_EQ(reason_of_call("wait4").reason, "child");
  EXPECT_EQ(reason_of_call("fsync").says, CallSays::Reason);
  EXPECT_EQ(reason_of_call("read").says, CallSays::File);
  EXPECT_EQ(reason_of_call("accept4").says, CallSays::File);
  EXPECT_EQ(reason_of_call("openat").says, CallSays::Nothing);
  EXPECT_EQ(reason_of_call("").says, CallSays::Nothing);
}

TEST(call_reason, of_a_file_is_what_it_is) {
  using linux::FileKind;
  EXPECT_EQ(reason_of_file(FileKind::Pipe, 'S'), "pipe");
  EXPECT_EQ(reason_of_file(FileKind::UnixSocket, 'S'), "socket");
  EXPECT_EQ(reason_of_file(FileKind::Socket, 'S'), "network");
  EXPECT_EQ(reason_of_file(FileKind::File, 'S'), "disk");
  EXPECT_EQ(reason_of_file(FileKind::Terminal, 'S'), "terminal");
  EXPECT_EQ(reason_of_file(FileKind::Timer, 'S'), "sleep");
  EXPECT_EQ(reason_of_file(FileKind::Unknown, 'D'), "disk");
  EXPECT_EQ(reason_of_file(FileKind::Unknown, 'S'), "other");
}

}  // namespace
}  // namespace atys::capture::native

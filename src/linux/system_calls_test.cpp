// SPDX-License-Identifier: Apache-2.0
#include "linux/system_calls.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>

namespace atys::linux {
namespace {

struct Case {
  const char* name;
  long number;  // as this machine's headers have it
};

TEST(system_calls, have_the_names_of_this_machines_headers) {
  const Case cases[] = {
      {"read", SYS_read},
      {"write", SYS_write},
      {"readv", SYS_readv},
      {"pread64", SYS_pread64},
      {"ppoll", SYS_ppoll},
      {"pselect6", SYS_pselect6},
      {"epoll_pwait", SYS_epoll_pwait},
      {"epoll_pwait2", SYS_epoll_pwait2},
      {"nanosleep", SYS_nanosleep},
      {"clock_nanosleep", SYS_clock_nanosleep},
      {"futex", SYS_futex},
      {"futex_waitv", SYS_futex_waitv},
      {"wait4", SYS_wait4},
      {"waitid", SYS_waitid},
      {"accept", SYS_accept},
      {"accept4", SYS_accept4},
      {"connect", SYS_connect},
      {"recvfrom", SYS_recvfrom},
      {"recvmsg", SYS_recvmsg},
      {"recvmmsg", SYS_recvmmsg},
      {"sendto", SYS_sendto},
      {"sendmsg", SYS_sendmsg},
      {"fsync", SYS_fsync},
      {"fdatasync", SYS_fdatasync},
      {"openat", SYS_openat},
      {"flock", SYS_flock},
      {"fcntl", SYS_fcntl},
      {"semtimedop", SYS_semtimedop},
      {"msgrcv", SYS_msgrcv},
      {"mq_timedreceive", SYS_mq_timedreceive},
      {"rt_sigtimedwait", SYS_rt_sigtimedwait},
      {"rt_sigsuspend", SYS_rt_sigsuspend},
      {"restart_syscall", SYS_restart_syscall},
      {"io_getevents", SYS_io_getevents},
      {"io_uring_enter", SYS_io_uring_enter},
      {"splice", SYS_splice},
      {"sendfile", SYS_sendfile},
      {"clone", SYS_clone},
      {"clone3", SYS_clone3},
      {"exit", SYS_exit},
      {"exit_group", SYS_exit_group},
      {"execve", SYS_execve},
      {"rseq", SYS_rseq},
      {"close_range", SYS_close_range},
  };
  for (const Case& c : cases)
    EXPECT_EQ(system_call_name(kOwnCallNumbers, static_cast<uint64_t>(c.number)), c.name) << c.number;
}

TEST(system_calls, differ_between_machines) {
  EXPECT_EQ(system_call_name(CallNumbers::X86_64, 0), "read");
  EXPECT_EQ(system_call_name(CallNumbers::Aarch64, 63), "read");
  EXPECT_EQ(system_call_name(CallNumbers::X86_64, 202), "futex");
  EXPECT_EQ(system_call_name(CallNumbers::Aarch64, 98), "futex");
  EXPECT_EQ(system_call_name(CallNumbers::X86_64, 232), "epoll_wait");
  EXPECT_EQ(system_call_name(CallNumbers::Aarch64, 22), "epoll_pwait");
  EXPECT_EQ(system_call_name(CallNumbers::Aarch64, 260), "wait4");
  EXPECT_EQ(system_call_name(CallNumbers::Aarch64, 25), "fcntl");
  for (const CallNumbers numbers : {CallNumbers::X86_64, CallNumbers::Aarch64}) {
    EXPECT_EQ(system_call_name(numbers, 424), "pidfd_send_signal");
    EXPECT_EQ(system_call_name(numbers, 455), "futex_wait");
  }
}

TEST(system_calls, have_no_name_where_there_is_none) {
  EXPECT_EQ(system_call_name(CallNumbers::X86_64, 400), "");
  EXPECT_EQ(system_call_name(CallNumbers::Aarch64, 250), "");
  EXPECT_EQ(system_call_name(CallNumbers::X86_64, 9999), "");
  EXPECT_EQ(system_call_name(CallNumbers::Aarch64, UINT64_MAX), "");
}

}  // namespace
}  // namespace atys::linux

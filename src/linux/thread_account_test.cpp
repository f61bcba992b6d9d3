// SPDX-License-Identifier: Apache-2.0
#include "linux/thread_account.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "base/clock.h"

namespace atys::linux {
namespace {

TEST(thread_account, takes_the_time_that_a_thread_ran_and_nothing_else) {
  EXPECT_EQ(parse_schedstat("123456789 22 7\n"), 123456789U);
  EXPECT_EQ(parse_schedstat("0 0 0\n"), std::nullopt) << "a kernel that does not keep it";
  for (const char* text : {"", "\n", "x 1 2", "-4 1 2", "99999999999999999999999 1 2", "12"})
    EXPECT_EQ(parse_schedstat(text), std::nullopt) << text;
}

TEST(thread_account, agrees_with_the_clock_of_the_thread) {
  std::atomic<pid_t> tid = 0;
  std::atomic<uint64_t> own_ns = 0;
  std::atomic<bool> is_over = false;
  std::thread busy([&] {
    while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < 30'000'000) continue;
    own_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    tid = static_cast<pid_t>(::syscall(SYS_gettid));
    while (!is_over) ::usleep(1000);
  });
  while (tid == 0) ::usleep(1000);
  const auto told = thread_cpu_ns(::getpid(), tid);
  is_over = true;
  busy.join();
  ASSERT_TRUE(told.ok());
  EXPECT_GE(*told + 20'000'000, own_ns);
  EXPECT_LE(*told, own_ns + 60'000'000) << "of this thread, not of the process";
}

TEST(thread_account, says_when_a_thread_began) {
  const uint64_t before = clock_ns(CLOCK_BOOTTIME);
  std::atomic<pid_t> tid = 0;
  std::atomic<bool> is_over = false;
  std::thread thread([&] {
    tid = static_cast<pid_t>(::syscall(SYS_gettid));
    while (!is_over) ::usleep(1000);
  });
  while (tid == 0) ::usleep(1000);
  const auto began = thread_began_boot_ns(::getpid(), tid);
  is_over = true;
  thread.join();
  ASSERT_TRUE(began.ok());
  EXPECT_GE(*began + 20'000'000, before);
  EXPECT_LE(*began, clock_ns(CLOCK_BOOTTIME));
}

TEST(thread_account, is_an_error_where_there_is_no_such_thread) {
  EXPECT_FALSE(thread_cpu_ns(::getpid(), 0x7fffffff).ok());
  EXPECT_FALSE(thread_began_boot_ns(::getpid(), 0x7fffffff).ok());
}

}  // namespace
}  // namespace atys::linux

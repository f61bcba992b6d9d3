// SPDX-License-Identifier: Apache-2.0
#include "linux/namespaces.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "linux/process.h"

namespace atys::linux {
namespace {

TEST(namespaces, are_the_numbers_of_their_links) {
  EXPECT_EQ(parse_namespace_link("pid:[4026531836]"), 4026531836u);
  EXPECT_EQ(parse_namespace_link("socket:[17]"), 17u);
  for (const char* text : {"", "pid:[]", "pid:[x]", "pid:[1", "/dev/null", "pid:[99999999999999999999]"})
    EXPECT_EQ(parse_namespace_link(text), 0u) << text;
}

TEST(namespaces, of_ourselves_are_not_foreign) {
  EXPECT_NE(read_namespaces(::getpid()).pid, 0u);
  EXPECT_FALSE(foreign_namespaces(::getpid()).any());
  EXPECT_EQ(*thread_outside(::getpid(), static_cast<pid_t>(::gettid())), ::gettid());
}

// A child whose child is process 1 of its own pid, mount, user and net namespaces. Where the kernel or a sandbox forbids
// that there is nothing to test.
TEST(namespaces, of_a_container_are_told_from_ours) {
  int from_child[2];
  int hold[2];
  ASSERT_EQ(::pipe(from_child), 0);
  ASSERT_EQ(::pipe(hold), 0);
  const pid_t outer = ::fork();
  if (outer == 0) {
    ::close(hold[1]);
    pid_t inner = -1;
    if (::unshare(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET) == 0) inner = ::fork();
    if (inner == 0) {
      char byte = 0;
      [[maybe_unused]] const ssize_t got = ::read(hold[0], &byte, 1);
      ::_exit(0);
    }
    [[maybe_unused]] const ssize_t put = ::write(from_child[1], &inner, sizeof inner);
    if (inner > 0) ::waitpid(inner, nullptr, 0);
    ::_exit(0);
  }
  pid_t inner = -1;
  ASSERT_EQ(::read(from_child[0], &inner, sizeof inner), static_cast<ssize_t>(sizeof inner));
  if (inner > 0) {
    const ForeignNamespaces foreign = foreign_namespaces(inner);
    EXPECT_TRUE(foreign.pid && foreign.mount && foreign.user && foreign.net);
    EXPECT_EQ(read_process(inner)->pid_in_namespace, 1);
    EXPECT_EQ(*thread_outside(inner, 1), inner);
    EXPECT_FALSE(thread_outside(inner, 2).ok());
  }
  for (const int fd : {from_child[0], from_child[1], hold[0], hold[1]}) ::close(fd);
  ::waitpid(outer, nullptr, 0);
  if (inner <= 0) GTEST_SKIP() << "no permission to make namespaces";
}

}  // namespace
}  // namespace atys::linux

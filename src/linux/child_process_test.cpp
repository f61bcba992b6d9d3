// SPDX-License-Identifier: Apache-2.0
#include "linux/child_process.h"

#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include <csignal>

namespace atys::linux {

namespace {

int exit_status_of(ChildProcess& child) {
  siginfo_t info{};
  ::waitid(P_PID, static_cast<id_t>(child.pid()), &info, WEXITED | WNOWAIT);
  return child.poll_exit();
}

int run(const std::string& script) {
  auto child = ChildProcess::create({"/bin/sh", "-c", script});
  if (!child.ok() || !child->release().ok()) return -1;
  return exit_status_of(*child);
}

}  // namespace

TEST(child_process, says_how_a_command_ended_as_a_shell_does) {
  EXPECT_EQ(run("exit 0"), 0);
  EXPECT_EQ(run("exit 7"), 7);
  EXPECT_EQ(run("kill -TERM $$"), 143);
  EXPECT_EQ(run("kill -SEGV $$"), 139);
}

TEST(child_process, says_what_a_command_used_with_those_that_it_waited_for) {
  auto child = ChildProcess::create({"/bin/sh", "-c", "(i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done); exit 1"});
  ASSERT_TRUE(child.ok());
  ASSERT_TRUE(child->release().ok());
  EXPECT_EQ(exit_status_of(*child), 1);
  EXPECT_GT(child->usage().ru_utime.tv_sec * 1'000'000 + child->usage().ru_utime.tv_usec, 0);
  EXPECT_GT(child->usage().ru_maxrss, 0);
  EXPECT_EQ(child->poll_exit(), 1);
}

TEST(child_process, a_stop_by_its_tracer_is_no_exit) {
  auto child = ChildProcess::create({"/bin/sleep", "100"});
  ASSERT_TRUE(child.ok());
  ASSERT_TRUE(child->release().ok());
  ASSERT_EQ(::ptrace(PTRACE_SEIZE, child->pid(), nullptr, nullptr), 0);
  ASSERT_EQ(::ptrace(PTRACE_INTERRUPT, child->pid(), nullptr, nullptr), 0);
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child->pid()), &info, WSTOPPED | WNOWAIT), 0);
  EXPECT_EQ(child->poll_exit(), -1);
  EXPECT_EQ(::ptrace(PTRACE_DETACH, child->pid(), nullptr, nullptr), 0);
  ::kill(child->pid(), SIGTERM);
  EXPECT_EQ(exit_status_of(*child), 143);
}

}  // namespace atys::linux

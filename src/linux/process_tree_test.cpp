// SPDX-License-Identifier: Apache-2.0
#include "linux/process_tree.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

namespace atys::linux {
namespace {

TEST(process_tree, has_children_and_their_children_and_not_ourselves) {
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const pid_t grandchild = ::fork();
    if (grandchild == 0) {
      ::pause();
      ::_exit(0);
    }
    (void)!::write(pipe[1], &grandchild, sizeof grandchild);
    ::pause();
    ::_exit(0);
  }
  pid_t grandchild = 0;
  ASSERT_EQ(::read(pipe[0], &grandchild, sizeof grandchild), static_cast<ssize_t>(sizeof grandchild));
  std::vector<pid_t> expected = {child, grandchild};
  std::ranges::sort(expected);
  EXPECT_EQ(with_descendants({child}), expected);
  EXPECT_EQ(with_descendants({grandchild}), std::vector<pid_t>{grandchild});
  const auto ours = with_descendants({::getpid(), child});
  EXPECT_EQ(std::ranges::count(ours, ::getpid()), 0);
  EXPECT_EQ(std::ranges::count(ours, grandchild), 1);
  std::vector<pid_t> below;
  for (const StartedProcess& process : descendants_of(::getpid())) {
    below.push_back(process.pid);
    EXPECT_GT(process.start_time_ticks, 0U);
  }
  EXPECT_EQ(below, (std::vector<pid_t>{child, grandchild})) << "whoever started is before what it started";
  ::kill(grandchild, SIGKILL);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(pipe[0]);
  ::close(pipe[1]);
}

}  // namespace
}  // namespace atys::linux

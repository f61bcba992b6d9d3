// SPDX-License-Identifier: Apache-2.0
#include "linux/thread_activity.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "support/ended_thread.h"
#include "support/waiting_program.h"

namespace atys::linux {
namespace {

TEST(thread_activity, is_a_system_call_with_its_arguments_or_a_place_alone_or_running) {
  const auto call = parse_activity("202 0x7ffd10 0x189 0x0 0x0 0x0 0xffffffff 0x7ffd2ba00 0x7f5e19\n");
  ASSERT_TRUE(call);
  EXPECT_FALSE(call->is_running);
  EXPECT_EQ(call->call, 202u);
  EXPECT_EQ(call->arguments, (std::array<uint64_t, 6>{0x7ffd10, 0x189, 0, 0, 0, 0xffffffff}));
  EXPECT_EQ(call->sp, 0x7ffd2ba00u);
  EXPECT_EQ(call->pc, 0x7f5e19u);
  const auto none = parse_activity("-1 0x7ffd2ba00 0x7f5e19\n");
  ASSERT_TRUE(none);
  EXPECT_FALSE(none->call);
  EXPECT_EQ(none->sp, 0x7ffd2ba00u);
  const auto running = parse_activity("running\n");
  ASSERT_TRUE(running);
  EXPECT_TRUE(running->is_running);
}

TEST(thread_activity, is_not_known_of_text_that_is_none) {
  for (const char* text : {"", "\n", "runnin", "-1", "-1 0x1", "-1 1 2", "0 0x0 0x0 0x0 0x0 0x0 0x0 0x7ff", "-2 0x1 0x2",
                           "0 0x0 0x0 0x0 0x0 0x0 0x0 0x7ff 0x40 0x1", "0 0x0 0x0 0x0 0x0 0x0 0x0 0x7ff 0xg",
                           "0 0x0 0x0 0x0 0x0 0x0 0x0 0x11112222333344445 0x1", "99999999999999999999 0x1 0x2"})
    EXPECT_FALSE(parse_activity(text)) << text;
}

TEST(thread_activity, figures_are_three_numbers) {
  EXPECT_EQ(parse_figures("100 20 3\n"), (ThreadFigures{100, 20, 3}));
  EXPECT_TRUE(parse_figures("100 20 3\n")->are_kept());
  EXPECT_FALSE(parse_figures("0 0 0\n")->are_kept());
  for (const char* text : {"", "1 2", "a b c", "-1 2 3", "1 2 99999999999999999999"})
    EXPECT_FALSE(parse_figures(text)) << text;
}

TEST(thread_activity, state_comes_after_a_name_that_may_be_anything) {
  EXPECT_EQ(parse_state("12 (cat) S 1 12"), 'S');
  EXPECT_EQ(parse_state("12 (a) R (b) D 1 12"), 'D');
  for (const char* text : {"", "12 (cat)", "12 (cat) ", "12 (cat) SS 1", "12 cat S"})
    EXPECT_FALSE(parse_state(text)) << text;
}

TEST(thread_files, show_where_a_thread_waits) {
  test::WaitingProgram program({"sh", "-c", "echo ready; exec cat"});
  ASSERT_EQ(program.read_line(), "ready");
  auto files = ThreadFiles::open(program.pid(), program.pid());
  ASSERT_TRUE(files.ok()) << files.error().message;
  std::optional<ThreadActivity> activity;
  for (int tries = 0; tries < 1000; ++tries) {
    activity = files->activity();
    ASSERT_TRUE(activity);
    if (activity->call == uint64_t{SYS_read} && activity->arguments[0] == STDIN_FILENO && files->state() == 'S') break;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ASSERT_EQ(activity->call, uint64_t{SYS_read});
  EXPECT_NE(activity->sp, 0u);
  EXPECT_NE(activity->pc, 0u);
  EXPECT_EQ(files->state(), 'S');
  const auto figures = files->figures();
  ASSERT_TRUE(figures);
  EXPECT_TRUE(figures->are_kept());
  EXPECT_EQ(files->figures(), figures);  // it has not run meanwhile
  program.finish();
  EXPECT_FALSE(files->figures());
  EXPECT_FALSE(files->activity());
  EXPECT_EQ(files->state(), '?');
  EXPECT_EQ(files->waiting_in(), "");
  EXPECT_FALSE(ThreadFiles::open(files->pid(), files->tid()).ok());
}

TEST(thread_files, show_that_a_thread_runs) {
  std::atomic<bool> is_over = false;
  std::atomic<pid_t> tid = 0;
  std::thread busy([&] {
    tid = ::gettid();
    while (!is_over) {
    }
  });
  while (tid == 0) std::this_thread::yield();
  auto files = ThreadFiles::open(::getpid(), tid);
  ASSERT_TRUE(files.ok());
  const auto activity = files->activity();
  is_over = true;
  busy.join();
  ASSERT_TRUE(activity);
  EXPECT_TRUE(activity->is_running);
}

TEST(thread_files, tell_a_name_that_was_just_given) {
  std::atomic<int> stage = 0;
  std::atomic<pid_t> tid = 0;
  std::thread named([&] {
    ::pthread_setname_np(::pthread_self(), "first (name)");
    tid = ::gettid();
    while (stage == 0) std::this_thread::yield();
    ::pthread_setname_np(::pthread_self(), "second");
    stage = 2;
    while (stage == 2) std::this_thread::yield();
  });
  while (tid == 0) std::this_thread::yield();
  auto files = ThreadFiles::open(::getpid(), tid);
  const auto first = files.ok() ? files->name() : std::nullopt;
  stage = 1;
  while (stage == 1) std::this_thread::yield();
  const auto second = files.ok() ? files->name() : std::nullopt;
  stage = 3;
  named.join();
  ASSERT_TRUE(files.ok());
  EXPECT_EQ(first, "first (name)");
  EXPECT_EQ(second, "second");
  test::wait_until_gone(tid);
  EXPECT_EQ(files->name(), std::nullopt);
}

}  // namespace
}  // namespace atys::linux

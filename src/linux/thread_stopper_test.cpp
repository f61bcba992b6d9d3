// SPDX-License-Identifier: Apache-2.0
#include "linux/thread_stopper.h"

#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <thread>

#include "base/clock.h"
#include "linux/child_process.h"
#include "linux/process.h"
#include "linux/remote_memory.h"
#include "support/forked_process.h"

namespace atys::linux {

namespace {

using test::ForkedProcess;
using test::Shared;
using test::sleep_us;

constexpr uint64_t kSecond = 1'000'000'000;
const ThreadStopper::Look kNothing = [](const StoppedThread&) {};

// Whether `condition` comes true before a machine could be that slow.
template <typename Condition>
bool eventually(const Condition& condition) {
  const uint64_t deadline_ns = clock_ns(CLOCK_MONOTONIC) + 60 * kSecond;
  while (!condition()) {
    if (clock_ns(CLOCK_MONOTONIC) > deadline_ns) return false;
    sleep_us(200);
  }
  return true;
}

bool comes_to_state(pid_t pid, char wanted) {
  return eventually([&] {
    const auto state = thread_state(pid, pid);
    return state.ok() && *state == wanted;
  });
}

[[gnu::noinline]] int spin_for_ever() {
  volatile uint64_t turns = 0;
  while (true) turns = turns + 1;
}

// The thread that is not the first; 0: there is none (yet).
pid_t second_thread(pid_t pid) {
  const auto threads = list_threads(pid);
  if (!threads.ok()) return 0;
  for (const pid_t tid : *threads)
    if (tid != pid) return tid;
  return 0;
}

}  // namespace

TEST(thread_stopper, shows_registers_and_memory_of_a_thread_that_computes) {
  const ForkedProcess process(spin_for_ever);
  ThreadStopper stopper;
  uint64_t pc = 0;
  size_t stack_bytes = 0;
  ASSERT_TRUE(eventually([&] {
    const auto look = [&](const StoppedThread& thread) {
      std::byte stack[64];
      pc = thread.registers.pc;
      stack_bytes = read_remote_memory(thread.pid, thread.registers.sp, stack);
      EXPECT_EQ(thread_state(thread.pid, thread.tid).take(), 't');
    };
    stopper.stop_shortly(process.pid(), process.pid(), look);
    const auto begin = reinterpret_cast<uint64_t>(&spin_for_ever);
    return pc >= begin && pc < begin + 256;
  }));
  EXPECT_EQ(stack_bytes, 64u);
  EXPECT_GE(stopper.figures().stops, 1u);
  EXPECT_GE(stopper.figures().paused_ns, stopper.figures().longest_ns);
  EXPECT_GT(stopper.figures().longest_ns, 0u);
  EXPECT_TRUE(comes_to_state(process.pid(), 'R'));
}

TEST(thread_stopper, is_not_attached_between_two_looks) {
  const ForkedProcess process(spin_for_ever);
  ThreadStopper stopper;
  ASSERT_TRUE(eventually(
      [&] { return stopper.stop_shortly(process.pid(), process.pid(), kNothing).outcome == StopOutcome::Looked; }));
  EXPECT_FALSE(is_traced_by_us(process.pid()));
}

TEST(thread_stopper, leaves_alone_what_sleeps) {
  const ForkedProcess process([] { return ::pause(); });
  ASSERT_TRUE(comes_to_state(process.pid(), 'S'));
  ThreadStopper stopper;
  EXPECT_EQ(stopper.stop_shortly(process.pid(), process.pid(), kNothing).outcome, StopOutcome::Asleep);
  EXPECT_EQ(stopper.figures().stops, 0u);
}

TEST(thread_stopper, says_what_has_ended_also_while_it_is_a_zombie) {
  ForkedProcess process([] { return 7; });
  const pid_t pid = process.pid();
  ASSERT_TRUE(comes_to_state(pid, 'Z'));
  ThreadStopper stopper({.only_running = false});
  EXPECT_EQ(stopper.stop_shortly(pid, pid, kNothing).outcome, StopOutcome::Ended);
  EXPECT_EQ(process.wait(), 7);
  EXPECT_EQ(stopper.stop_shortly(pid, pid, kNothing).outcome, StopOutcome::Ended);
  EXPECT_EQ(stopper.figures().refused, 0u);
}

TEST(thread_stopper, does_not_look_at_a_thread_of_another_process) {
  const ForkedProcess process(spin_for_ever);
  const ForkedProcess other([] { return ::pause(); });
  ThreadStopper stopper({.only_running = false});
  bool has_looked = false;
  const auto look = [&](const StoppedThread&) { has_looked = true; };
  EXPECT_EQ(stopper.stop_shortly(other.pid(), process.pid(), look).outcome, StopOutcome::Ended);
  EXPECT_FALSE(has_looked);
  EXPECT_FALSE(is_traced_by_us(process.pid()));
}

TEST(thread_stopper, a_process_stopped_by_job_control_stays_so_until_it_is_continued) {
  const ForkedProcess process(spin_for_ever);
  ThreadStopper stopper({.only_running = false});
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(::kill(process.pid(), SIGSTOP), 0);
    ASSERT_TRUE(comes_to_state(process.pid(), 'T'));
    for (int k = 0; k < 5; ++k)
      EXPECT_EQ(stopper.stop_shortly(process.pid(), process.pid(), kNothing).outcome, StopOutcome::Asleep);
    sleep_us(1000);
    ASSERT_TRUE(comes_to_state(process.pid(), 'T'));
    ASSERT_EQ(::kill(process.pid(), SIGCONT), 0);
    ASSERT_TRUE(comes_to_state(process.pid(), 'R'));
  }
}

TEST(thread_stopper, does_not_wait_for_a_thread_that_cannot_stop_and_lets_it_go_when_it_can) {
  Shared<std::atomic<bool>> may_end;
  ForkedProcess process([&] {
    const pid_t child = ::vfork();  // until the child is gone, nothing but SIGKILL reaches the parent
    if (child == 0) {
      while (!*may_end) sleep_us(500);
      ::_exit(0);
    }
    return 9;
  });
  ASSERT_TRUE(comes_to_state(process.pid(), 'D'));
  ThreadStopper stopper({.only_running = false});
  EXPECT_EQ(stopper.stop_shortly(process.pid(), process.pid(), kNothing).outcome, StopOutcome::Busy);
  EXPECT_EQ(stopper.stop_shortly(process.pid(), process.pid(), kNothing).outcome, StopOutcome::Busy);
  EXPECT_EQ(stopper.figures().busy, 1u);
  EXPECT_EQ(stopper.release(), 1u);
  *may_end = true;
  EXPECT_TRUE(eventually([&] {
    stopper.pass_on_events();
    return process.has_ended();
  }));
  EXPECT_EQ(process.wait(), 9);
  EXPECT_EQ(stopper.release(), 0u);
  EXPECT_EQ(stopper.figures().undone_late, 1u);
}

TEST(thread_stopper, looks_at_one_that_stops_later) {
  Shared<std::atomic<bool>> may_end;
  ForkedProcess process([&] {
    const pid_t child = ::vfork();
    if (child == 0) {
      while (!*may_end) sleep_us(500);
      ::_exit(0);
    }
    return 9;
  });
  ASSERT_TRUE(comes_to_state(process.pid(), 'D'));
  ThreadStopper stopper({.only_running = false});
  EXPECT_EQ(stopper.stop_shortly(process.pid(), process.pid(), kNothing).outcome, StopOutcome::Busy);
  EXPECT_TRUE(stopper.holds(process.pid()));
  pid_t seen = 0;
  const auto look = [&](const StoppedThread& thread) { seen = thread.registers.pc != 0 ? thread.tid : 0; };
  EXPECT_FALSE(stopper.look_at_late(look));
  *may_end = true;
  ASSERT_TRUE(eventually([&] { return stopper.look_at_late(look); }));
  EXPECT_EQ(seen, process.pid());
  EXPECT_FALSE(stopper.holds_any());
  EXPECT_EQ(process.wait(), 9);
}

TEST(thread_stopper, looks_at_threads_whose_first_thread_has_ended) {
  Shared<std::atomic<bool>> may_end;
  ForkedProcess process([&] {
    std::thread([&] {
      while (!*may_end) {
      }
      ::_exit(11);
    }).detach();
    return static_cast<int>(::syscall(SYS_exit, 0));  // of this thread alone
  });
  ASSERT_TRUE(comes_to_state(process.pid(), 'Z'));
  ThreadStopper stopper;
  const pid_t tid = second_thread(process.pid());
  ASSERT_NE(tid, 0);
  EXPECT_EQ(stopper.stop_shortly(process.pid(), process.pid(), kNothing).outcome, StopOutcome::Ended);
  EXPECT_TRUE(eventually([&] { return stopper.stop_shortly(process.pid(), tid, kNothing).outcome == StopOutcome::Looked; }));
  *may_end = true;
  EXPECT_TRUE(eventually([&] {
    stopper.stop_shortly(process.pid(), tid, kNothing);
    return process.has_ended();
  }));
  EXPECT_EQ(process.wait(), 11);
}

TEST(thread_stopper, children_end_as_they_would_whenever_they_are_stopped) {
  struct Case {
    const char* script;
    int status;
  };
  const Case cases[] = {{"exit 7", 7}, {"kill -TERM $$", 143}, {"kill -SEGV $$", 139}, {"(exit 4); exit $?", 4}};
  ThreadStopper stopper({.only_running = false});
  size_t wrong = 0;
  for (size_t i = 0; i < 1000; ++i) {
    const Case& one = cases[i % std::size(cases)];
    auto child = ChildProcess::create({"/bin/sh", "-c", one.script});
    ASSERT_TRUE(child.ok());
    ASSERT_TRUE(child->release().ok());
    int status = -1;
    EXPECT_TRUE(eventually([&] {
      for (int k = 0; k < 20 && status < 0; ++k) {
        stopper.stop_shortly(child->pid(), child->pid(), kNothing);
        status = child->poll_exit();
      }
      return status >= 0;
    }));
    wrong += status != one.status;
  }
  EXPECT_EQ(wrong, 0u);
  EXPECT_GT(stopper.figures().stops, 1000u);
}

}  // namespace atys::linux

// SPDX-License-Identifier: Apache-2.0
// Signals that arrive at a thread while it is stopped, and stops that arrive while a thread ends: both are rare by
// themselves, so they are provoked until they have happened.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <thread>

#include "base/clock.h"
#include "linux/process.h"
#include "linux/thread_stopper.h"
#include "support/forked_process.h"

namespace atys::linux {

namespace {

constexpr int kSignalsPerRound = 5000;
const ThreadStopper::Look kNothing = [](const StoppedThread&) {};

struct Received {
  std::atomic<int> count;
  std::atomic<int> as_sent;
};
Received* received;  // of this process

void receive(int, siginfo_t* info, void*) {
  const int number = received->count++;
  if (info->si_value.sival_int == number && info->si_code == SI_QUEUE && info->si_pid == ::getpid()) ++received->as_sent;
}

// Its first thread receives signals as fast as another can send them.
int receive_many(Received* into) {
  received = into;
  struct sigaction action {};
  action.sa_sigaction = receive;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGRTMIN, &action, nullptr);
  std::thread sender([] {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
    for (int i = 0; i < kSignalsPerRound; ++i) {
      const sigval value{.sival_int = i};
      while (::sigqueue(::getpid(), SIGRTMIN, value) != 0) ::sched_yield();
    }
  });
  while (received->count < kSignalsPerRound) continue;
  sender.join();
  return 0;
}

bool stop_until_it_ends(ThreadStopper& stopper, test::ForkedProcess& process) {
  const uint64_t deadline_ns = clock_ns(CLOCK_MONOTONIC) + 60'000'000'000;
  while (!process.has_ended()) {
    if (clock_ns(CLOCK_MONOTONIC) > deadline_ns) return false;
    stopper.stop_shortly(process.pid(), process.pid(), kNothing);
  }
  return true;
}

}  // namespace

TEST(thread_stopper_signals, arrive_once_each_in_their_order_with_what_was_sent_along) {
  ThreadStopper stopper;
  for (int round = 0; round < 500 && stopper.figures().signals_seen < 10; ++round) {
    const test::Shared<Received> got;
    test::ForkedProcess process([&got] { return receive_many(&*got); });
    ASSERT_TRUE(stop_until_it_ends(stopper, process)) << got->count << " signals arrived";
    ASSERT_EQ(process.wait(), 0);
    ASSERT_EQ(got->count, kSignalsPerRound);
    ASSERT_EQ(got->as_sent, kSignalsPerRound);
  }
  EXPECT_GE(stopper.figures().signals_seen, 10u);
}

TEST(thread_stopper_signals, a_first_thread_that_ends_while_it_is_stopped_leaves_the_others_to_be_looked_at) {
  ThreadStopper stopper;
  for (int round = 0; round < 60; ++round) {
    const test::Shared<std::atomic<bool>> may_end;
    const test::Shared<std::atomic<pid_t>> other;
    test::ForkedProcess process([&] {
      std::thread([&] {
        *other = ::gettid();
        while (!*may_end) continue;
        ::_exit(12);
      }).detach();
      while (*other == 0) continue;
      return static_cast<int>(::syscall(SYS_exit, 0));  // of this thread alone
    });
    while (stopper.stop_shortly(process.pid(), process.pid(), kNothing).outcome != StopOutcome::Ended) continue;
    const uint64_t deadline_ns = clock_ns(CLOCK_MONOTONIC) + 20'000'000'000;
    while (stopper.stop_shortly(process.pid(), *other, kNothing).outcome != StopOutcome::Looked)
      ASSERT_LT(clock_ns(CLOCK_MONOTONIC), deadline_ns);
    *may_end = true;
    ASSERT_EQ(process.wait(), 12);
    stopper.pass_on_events();
  }
  EXPECT_EQ(stopper.release(), 0u);
}

TEST(thread_stopper_signals, nobody_is_left_behind_who_waits_for_a_processor) {
  test::ForkedProcess process([] {
    for (int i = 0; i < 16; ++i)
      std::thread([] {
        volatile uint64_t turns = 0;
        while (true) turns = turns + 1;
      }).detach();
    return ::pause();
  });
  const uint64_t deadline_ns = clock_ns(CLOCK_MONOTONIC) + 60'000'000'000;
  bool was_busy = false;
  while (!was_busy && clock_ns(CLOCK_MONOTONIC) < deadline_ns) {
    ThreadStopper stopper({.patience_ns = 1000});
    const auto threads = list_threads(process.pid());
    ASSERT_TRUE(threads.ok());
    for (const pid_t tid : *threads) stopper.stop_shortly(process.pid(), tid, kNothing);
    was_busy = stopper.figures().busy > 0;
    EXPECT_EQ(stopper.release(), 0u);
  }
  EXPECT_TRUE(was_busy);
}

}  // namespace atys::linux

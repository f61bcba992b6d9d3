// SPDX-License-Identifier: Apache-2.0
// A program that does at once whatever goes wrong under a bad tracer: fifty threads that compute and sleep, signals that are
// counted one by one, a timer, processes that end in every way, exec in threads. Stopped all the time, it says what it says
// when it is left in peace.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "linux/process.h"
#include "linux/thread_stopper.h"
#include "support/forked_process.h"

namespace atys::linux {

namespace {

constexpr size_t kComputingThreads = 50;
constexpr int kSignals = 400;
constexpr int kAlarms = 100;
constexpr size_t kProcesses = 60;

// What the program found out about itself. Plain numbers, so that two runs can be compared whole.
struct Account {
  std::array<uint64_t, kComputingThreads> sums;
  std::array<int, kProcesses> statuses;
  std::array<int, kProcesses> exec_statuses;
  std::atomic<int> one_by_one;         // SIGUSR1, each sent when the one before was counted
  std::atomic<int> queued;             // a real-time signal, sent without waiting, with a number each
  std::atomic<int> queued_in_order;    // had the number, sender and code that were sent
  std::atomic<int> alarms;             // at least kAlarms
  std::atomic<int> children_heard_of;  // SIGCHLD, at least one
  std::atomic<int> failures;           // of calls that never fail in peace
};

Account* account;  // of this process

void count_one(int) { ++account->one_by_one; }
void count_alarm(int) { ++account->alarms; }
void count_child(int) { ++account->children_heard_of; }
void count_queued(int, siginfo_t* info, void*) {
  const int number = account->queued++;
  const bool is_as_sent = info->si_value.sival_int == number && info->si_code == SI_QUEUE && info->si_pid == ::getpid();
  account->queued_in_order += is_as_sent ? 1 : 0;
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  ::sigaction(signal, &action, nullptr);
}

void compute(size_t thread) {
  uint64_t sum = thread;
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 50'000; ++i) sum = sum * 6364136223846793005 + 1442695040888963407;
    const timespec pause{0, 200'000};
    if (::nanosleep(&pause, nullptr) != 0 && errno != EINTR) ++account->failures;
  }
  account->sums[thread] = sum;
}

// Waits for each signal to be counted: a lost one is waited for in vain, one too many is seen at the end.
void send_one_by_one(std::thread::native_handle_type to) {
  for (int i = 1; i <= kSignals; ++i) {
    ::pthread_kill(to, SIGUSR1);
    while (account->one_by_one < i) ::sched_yield();
  }
}

void send_queued() {
  for (int i = 0; i < kSignals; ++i) {
    const sigval value{.sival_int = i};
    while (::sigqueue(::getpid(), SIGRTMIN, value) != 0) ::sched_yield();
  }
}

void mask_signals(int how) {
  sigset_t all;
  sigfillset(&all);
  ::pthread_sigmask(how, &all, nullptr);
}

[[noreturn]] void end_somehow(size_t how) {
  for (const int number : {SIGTERM, SIGUSR1, SIGALRM, SIGRTMIN}) ::signal(number, SIG_DFL);
  mask_signals(SIG_UNBLOCK);
  volatile uint64_t turns = 0;
  while (turns < 100'000) turns = turns + 1;
  if (how % 4 == 0) ::kill(::getpid(), SIGTERM);
  if (how % 4 == 1) ::kill(::getpid(), SIGKILL);
  if (how % 4 == 2) ::execl("/bin/sh", "sh", "-c", "exit 5", nullptr);
  ::_exit(static_cast<int>(how % 100));
}

// Exec by a thread that is not the first, beside one that computes.
[[noreturn]] void exec_in_a_thread() {
  std::thread([] {
    volatile uint64_t turns = 0;
    while (true) turns = turns + 1;
  }).detach();
  std::thread([] {
    mask_signals(SIG_UNBLOCK);
    ::execl("/bin/sh", "sh", "-c", "exit 6", nullptr);
  }).join();
  ::_exit(1);
}

template <typename Work>
int status_of_process(const Work& work) {
  const pid_t child = ::fork();
  if (child == 0) work();
  int status = -1;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return status;
}

void start_processes() {
  for (size_t i = 0; i < kProcesses; ++i) {
    account->statuses[i] = status_of_process([i] { end_somehow(i); });
    account->exec_statuses[i] = status_of_process(exec_in_a_thread);
  }
}

int run_program(Account* mine) {
  account = mine;
  handle(SIGUSR1, count_one);
  handle(SIGALRM, count_alarm);
  handle(SIGCHLD, count_child);
  struct sigaction action {};
  action.sa_sigaction = count_queued;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  ::sigaction(SIGRTMIN, &action, nullptr);
  const itimerval often{{0, 2000}, {0, 2000}};
  ::setitimer(ITIMER_REAL, &often, nullptr);
  std::vector<std::thread> threads;
  mask_signals(SIG_BLOCK);  // those that begin here inherit it: all signals are for the first thread
  const auto start = [&threads](auto work) { threads.emplace_back(work); };
  for (size_t i = 0; i < kComputingThreads; ++i) start([i] { compute(i); });
  const auto first = ::pthread_self();
  start([first] { send_one_by_one(first); });
  start(send_queued);
  start(start_processes);
  mask_signals(SIG_UNBLOCK);
  while (account->alarms < kAlarms || account->queued < kSignals || account->one_by_one < kSignals) test::sleep_us(100);
  for (std::thread& thread : threads) thread.join();
  return account->children_heard_of > 0 ? 42 : 1;
}

// Every thread of every process of the group.
void stop_all(ThreadStopper& stopper, pid_t group) {
  for (const pid_t pid : list_processes()) {
    if (::getpgid(pid) != group) continue;
    const auto threads = list_threads(pid);
    if (!threads.ok()) continue;
    for (const pid_t tid : *threads) stopper.stop_shortly(pid, tid, [](const StoppedThread&) {});
  }
}

// `stopper`: null: it is left in peace.
void run(Account& mine, ThreadStopper* stopper) {
  test::ForkedProcess process([&mine] { return run_program(&mine); });
  const uint64_t deadline_ns = clock_ns(CLOCK_MONOTONIC) + 60'000'000'000;
  while (!process.has_ended() && clock_ns(CLOCK_MONOTONIC) < deadline_ns) {
    if (stopper != nullptr)
      stop_all(*stopper, process.pid());
    else
      test::sleep_us(1000);
  }
  ASSERT_TRUE(process.has_ended());
  EXPECT_EQ(process.wait(), 42);
  EXPECT_EQ(mine.one_by_one, kSignals);
  EXPECT_EQ(mine.queued, kSignals);
  EXPECT_EQ(mine.queued_in_order, kSignals);
  EXPECT_EQ(mine.failures, 0);
}

}  // namespace

TEST(thread_stopper_stress, a_program_that_is_stopped_all_the_time_says_what_it_says_in_peace) {
  const test::Shared<Account> in_peace;
  const test::Shared<Account> stopped;
  run(*in_peace, nullptr);
  ThreadStopper stopper;
  run(*stopped, &stopper);
  EXPECT_EQ(stopped->sums, in_peace->sums);
  EXPECT_EQ(stopped->statuses, in_peace->statuses);
  EXPECT_EQ(stopped->exec_statuses, in_peace->exec_statuses);
  EXPECT_GT(stopper.figures().stops, 100u);
  EXPECT_EQ(stopper.figures().refused, 0u);
}

TEST(thread_stopper_stress, also_when_threads_that_sleep_are_stopped) {
  const test::Shared<Account> stopped;
  ThreadStopper stopper({.only_running = false});
  run(*stopped, &stopper);
  EXPECT_GT(stopper.figures().stops, 100u);
  EXPECT_EQ(stopper.figures().refused, 0u);
}

}  // namespace atys::linux

// SPDX-License-Identifier: Apache-2.0
#include "capture/accounts/thread_times.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "base/clock.h"
#include "support/ended_thread.h"

namespace atys::capture {
namespace {

constexpr uint64_t kTicksNs = 40'000'000;  // what the kernel may account late, of two looks

void burn(uint64_t ns) {
  const uint64_t until = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ns;
  while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < until) continue;
}

// A thread of ours that is there until it is told to end.
class Burner {
 public:
  explicit Burner(uint64_t ns)
      : thread_([this, ns] {
          burn(ns);
          tid_ = static_cast<pid_t>(::syscall(SYS_gettid));
          while (!is_over_) ::usleep(1000);
        }) {
    while (tid_ == 0) ::usleep(1000);
  }
  ~Burner() { end(); }
  pid_t tid() const { return tid_; }
  void end() {
    is_over_ = true;
    if (!thread_.joinable()) return;
    thread_.join();
    test::wait_until_gone(tid_);
  }

 private:
  std::atomic<pid_t> tid_ = 0;
  std::atomic<bool> is_over_ = false;
  std::thread thread_;
};

uint64_t now() { return clock_ns(CLOCK_MONOTONIC); }

TEST(thread_times, are_unknown_until_a_stretch_has_begun) {
  ThreadTimes account(::getpid());
  EXPECT_FALSE(account.look(now()).is_known());
  account.begin(now());
  EXPECT_TRUE(account.look(now() + 1).is_known());
}

TEST(thread_times, are_those_of_the_stretch_by_thread) {
  Burner early(50'000'000);
  ThreadTimes account(::getpid());
  const uint64_t began = now();
  account.begin(began);
  Burner late(60'000'000);
  const ProcessTimes times = account.look(now());
  ASSERT_TRUE(times.threads.contains(early.tid()) && times.threads.contains(late.tid()));
  EXPECT_LE(times.threads.at(early.tid()).cpu_ns, kTicksNs) << "what it used before is not of the stretch";
  EXPECT_EQ(times.threads.at(early.tid()).there_ns, times.lasted_ns);
  EXPECT_GE(times.threads.at(late.tid()).cpu_ns + kTicksNs, 60'000'000U);
  EXPECT_LE(times.threads.at(late.tid()).there_ns, times.lasted_ns);
  EXPECT_GE(times.threads.at(late.tid()).there_ns + kTicksNs, 60'000'000U);
  ASSERT_TRUE(times.cpu_ns);
  EXPECT_GE(*times.cpu_ns, 60'000'000U);
}

TEST(thread_times, of_threads_that_ended_are_with_their_process) {
  ThreadTimes account(::getpid());
  account.begin(now());
  Burner gone(80'000'000);
  const pid_t tid = gone.tid();
  gone.end();
  const ProcessTimes times = account.look(now());
  EXPECT_FALSE(times.threads.contains(tid));
  uint64_t of_others = 0;
  for (const auto& [thread, time] : times.threads) of_others += time.cpu_ns;
  EXPECT_GE(*times.cpu_ns + kTicksNs, of_others + 80'000'000);
}

TEST(thread_times, of_threads_whose_end_was_told_are_their_own) {
  Burner early(30'000'000);
  ThreadTimes account(::getpid());
  const uint64_t began = now();
  account.note_end({.pid = ::getpid(), .tid = 5, .began_ns = 1, .ended_ns = began, .cpu_ns = 9});
  account.begin(began);
  // One that was there before, twice the same number in the stretch, and one that is over only after the look.
  account.note_end({::getpid(), early.tid(), began - 100, began + 50, 10'000'000'000});
  account.note_end({::getpid(), 5, began - 10, began + 40, 7});
  account.note_end({::getpid(), 5, began + 50, began + 80, 4});
  account.note_end({::getpid(), 6, began + 50, began + 2000, 4});
  early.end();
  const ProcessTimes times = account.look(began + 1000);
  const uint64_t cpu_ns = times.threads.at(early.tid()).cpu_ns;
  EXPECT_GE(cpu_ns, 10'000'000'000 - 30'000'000 - kTicksNs) << "less what it had before";
  EXPECT_LE(cpu_ns, 10'000'000'000 - 30'000'000 + kTicksNs);
  EXPECT_EQ(times.threads.at(early.tid()).there_ns, 50U);
  EXPECT_EQ(times.threads.at(5).cpu_ns, 11U);
  EXPECT_EQ(times.threads.at(5).there_ns, 70U);
  EXPECT_FALSE(times.threads.contains(6));
  account.begin_where_looked();
  const ProcessTimes next = account.look(began + 3000);
  EXPECT_EQ(next.threads.at(6).there_ns, 1000U);
  EXPECT_FALSE(next.threads.contains(5));
}

TEST(thread_times, of_the_next_stretch_begin_where_the_last_look_was) {
  ThreadTimes account(::getpid());
  const uint64_t began = now();
  account.begin(began);
  burn(50'000'000);
  const uint64_t looked = now();
  const ProcessTimes first = account.look(looked);
  account.begin_where_looked();
  const ProcessTimes second = account.look(looked + 1000);
  EXPECT_EQ(first.lasted_ns, looked - began);
  EXPECT_EQ(second.lasted_ns, 1000U);
  EXPECT_EQ(second.since_first_ns, looked + 1000 - began);
  EXPECT_GE(*first.cpu_ns, 50'000'000U);
}

TEST(thread_times, of_a_process_that_began_in_the_stretch_are_all_that_it_has) {
  const uint64_t since = now() - 1'000'000'000;  // so long ago that the steps of its time of birth do not matter
  const pid_t child = ::fork();
  if (child == 0) {
    burn(60'000'000);
    while (true) ::pause();
  }
  while (true) {
    ThreadTimes first(child);
    first.begin_late(since, now());
    if (first.look(now()).cpu_ns.value_or(0) >= 60'000'000) break;
    ::usleep(1000);
  }
  ThreadTimes late(child);
  late.begin_late(since, now());
  const ProcessTimes times = late.look(now());
  EXPECT_EQ(late.began_ns(), since);
  EXPECT_GE(times.threads.at(child).cpu_ns + kTicksNs, 60'000'000U);
  EXPECT_LT(times.threads.at(child).there_ns, times.lasted_ns);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);

  ThreadTimes of_us(::getpid());
  const uint64_t at = now();
  of_us.begin_late(at - 1, at);
  EXPECT_EQ(of_us.began_ns(), at) << "what it had before is not known";
}

TEST(thread_times, of_a_process_that_ended_are_whole_until_it_is_gone) {
  int is_begun[2];
  ASSERT_EQ(::pipe(is_begun), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    char word = 0;
    (void)!::read(is_begun[0], &word, 1);  // what it used before the account began is not in it
    burn(100'000'000 + kTicksNs);
    ::pause();
  }
  ThreadTimes account(child);
  account.begin(now());
  ASSERT_EQ(::write(is_begun[1], "!", 1), 1);
  while (account.look(now()).cpu_ns.value_or(0) < 100'000'000) ::usleep(1000);
  for (const int end : is_begun) ::close(end);
  ::kill(child, SIGKILL);
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  const ProcessTimes ended = account.look(now());
  ASSERT_TRUE(ended.cpu_ns);
  EXPECT_GE(*ended.cpu_ns + kTicksNs, 100'000'000U);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  const ProcessTimes gone = account.look(now());
  EXPECT_TRUE(gone.is_known() && !gone.cpu_ns && gone.threads.empty());
  account.note_end({child, child, 1, now(), 200'000'000});
  EXPECT_GE(account.look(now()).threads.at(child).cpu_ns, 100'000'000U) << "or it was told";
}

}  // namespace
}  // namespace atys::capture

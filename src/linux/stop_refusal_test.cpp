// SPDX-License-Identifier: Apache-2.0
#include "linux/stop_refusal.h"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>

#include "linux/thread_stopper.h"
#include "support/forked_process.h"

namespace atys::linux {

namespace {

using Why = StopRefusal::Cause;
using test::ForkedProcess;
using test::Shared;

const ThreadStopper::Look kNothing = [](const StoppedThread&) {};

StopResult stop_even_if_it_sleeps(pid_t pid) {
  ThreadStopper stopper({.only_running = false});
  return stopper.stop_shortly(pid, pid, kNothing);
}

// As container runtimes do with calls that they do not allow.
bool refuse_ptrace() {
  sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ptrace, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{std::size(steps), steps};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// What a process that `prepare` was called in is told when it stops another.
template <typename Prepare>
StopRefusal refusal_in_a_process(const Prepare& prepare) {
  const Shared<StopRefusal> refusal;
  const ForkedProcess target([] { return ::pause(); });
  ForkedProcess process([&] {
    if (!prepare()) return 1;
    *refusal = stop_even_if_it_sleeps(target.pid()).refusal;
    return 0;
  });
  EXPECT_EQ(process.wait(), 0);
  return *refusal;
}

}  // namespace

TEST(stop_refusal, names_who_traces_it_already) {
  const ForkedProcess target([] { return ::pause(); });
  const Shared<std::atomic<int>> result;
  const ForkedProcess tracer([&] {
    *result = ::ptrace(PTRACE_SEIZE, target.pid(), nullptr, nullptr) == 0 ? 1 : errno;
    return ::pause();
  });
  while (*result == 0) test::sleep_us(200);
  if (*result != 1) GTEST_SKIP() << "processes may not trace those of their own user here";
  const StopResult stop = stop_even_if_it_sleeps(target.pid());
  EXPECT_EQ(stop.outcome, StopOutcome::Refused);
  EXPECT_EQ(stop.refusal.cause, Why::TracedByOther);
  EXPECT_EQ(stop.refusal.tracer, tracer.pid());
  EXPECT_EQ(stop.refusal.error, EPERM);
  EXPECT_NE(to_string(stop.refusal).find("process " + std::to_string(tracer.pid()) + " ("), std::string::npos);
}

TEST(stop_refusal, tells_a_filter_from_all_else) {
  const StopRefusal refusal = refusal_in_a_process(refuse_ptrace);
  EXPECT_EQ(refusal.cause, Why::Filter);
  EXPECT_EQ(to_string(refusal), "a system-call filter refuses ptrace");
}

TEST(stop_refusal, says_that_a_process_of_another_user_is_not_ours_to_stop) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  const StopRefusal refusal = refusal_in_a_process([] { return ::setuid(65534) == 0; });
  EXPECT_TRUE(refusal.cause == Why::Rights || refusal.cause == Why::Yama) << to_string(refusal);
  EXPECT_EQ(refusal.error, EPERM);
}

TEST(stop_refusal, says_that_what_is_gone_has_ended) {
  ForkedProcess process([] { return 0; });
  const pid_t pid = process.pid();
  process.wait();
  EXPECT_EQ(explain_refusal(pid, pid, ESRCH).cause, Why::Ended);
  EXPECT_EQ(explain_refusal(pid, pid, EPERM).cause, Why::Ended);
}

TEST(stop_refusal, every_cause_has_words) {
  for (int cause = 0; cause <= static_cast<int>(Why::Other); ++cause)
    EXPECT_FALSE(to_string(StopRefusal{static_cast<Why>(cause), EIO, 1}).empty());
}

}  // namespace atys::linux

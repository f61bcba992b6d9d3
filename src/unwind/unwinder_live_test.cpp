// SPDX-License-Identifier: Apache-2.0
// Walks of this process's own stacks, held against what the C library's unwinder finds in the same place. Built without
// frame pointers (see CMakeLists.txt), like most of the libraries below it.
#include <alloca.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/time.h>
#include <algorithm>

#include <cstdlib>
#include <thread>

#include "support/own_process.h"

namespace atys::unwind {
namespace {

using test::Moment;
using test::OwnProcess;

Moment* moment = nullptr;
volatile int sink = 0;

// The unwinder sees the return address of getcontext(), the C library that of backtrace(): the frames above are the same.
__attribute__((noinline)) void look() {
  ucontext_t context;
  getcontext(&context);
  moment->take_registers(context);
  moment->take_truth();
  sink = sink + 1;
}

class UnwinderLive : public testing::Test {
 protected:
  UnwinderLive() {
    void* first_call_allocates[1];
    ::backtrace(first_call_allocates, 1);
    moment = &moment_;
  }

  Walk expect_truth(size_t least_frames) {
    OwnProcess process;
    Unwinder unwinder(test::kThisMachine);
    const Walk walk = moment_.walk(process, unwinder);
    expect_truth(walk, least_frames);
    return walk;
  }

  void expect_truth(const Walk& walk, size_t least_frames) {
    EXPECT_EQ(walk.end, End::Root) << to_string(walk.end);
    EXPECT_EQ(walk.by_frame_pointer, 0u);
    EXPECT_GE(walk.addresses.size(), least_frames);
    const std::vector<uint64_t> found(walk.addresses.begin() + 1, walk.addresses.end());
    // Whoever takes the truth is in it, in one frame or, where a sanitizer stands before backtrace(), in two.
    ASSERT_GE(moment_.truth.size(), found.size());
    ASSERT_LE(moment_.truth.size(), found.size() + 2);
    EXPECT_EQ(found,
              std::vector<uint64_t>(moment_.truth.end() - static_cast<std::ptrdiff_t>(found.size()), moment_.truth.end()));
  }

  Moment moment_;
};

__attribute__((noinline)) int recurse(int depth) {
  if (depth == 0)
    look();
  else
    sink = recurse(depth - 1) + 1;
  return sink;
}

TEST_F(UnwinderLive, reaches_the_root_from_deep_recursion) {
  recurse(200);
  expect_truth(200);
}

TEST_F(UnwinderLive, remembers_code_without_changing_the_answer) {
  recurse(20);
  OwnProcess process;
  Unwinder unwinder(test::kThisMachine);
  const Walk first = moment_.walk(process, unwinder);
  const Walk second = moment_.walk(process, unwinder);
  EXPECT_EQ(first.addresses, second.addresses);
  EXPECT_EQ(process.words_read, 0u);
}

TEST_F(UnwinderLive, goes_through_the_callback_of_a_library) {
  int values[] = {2, 1};
  std::qsort(values, 2, sizeof(int), [](const void* a, const void* b) {
    look();
    return *static_cast<const int*>(a) - *static_cast<const int*>(b);
  });
  expect_truth(5);
}

TEST_F(UnwinderLive, ends_at_the_start_of_a_thread) {
  std::thread([] { recurse(3); }).join();
  expect_truth(6);
}

__attribute__((noinline)) void realigned(size_t size) {
  alignas(64) volatile char aligned[64];
  auto* room = static_cast<volatile char*>(alloca(size));
  aligned[0] = 1;
  room[0] = 1;
  look();
  sink = aligned[0] + room[0];
}

TEST_F(UnwinderLive, goes_through_a_function_that_realigns_its_stack) {
  realigned(100);
  expect_truth(5);
}

void look_in_handler(int) { look(); }

// The stack that was interrupted is in no copy: it has to be read while it is there.
OwnProcess* process_in_handler = nullptr;
Walk walk_in_handler;
void walk_in_signal_handler(int) {
  look();
  Unwinder unwinder(test::kThisMachine);
  walk_in_handler = moment->walk(*process_in_handler, unwinder);
}

void handle(int signal, int flags, void (*handler)(int) = look_in_handler) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(signal, &action, nullptr);
}

TEST_F(UnwinderLive, goes_through_a_signal_handler) {
  handle(SIGUSR1, 0);
  raise(SIGUSR1);
  const Walk walk = expect_truth(7);
  EXPECT_EQ(std::count(walk.is_exact.begin(), walk.is_exact.end(), true), 2);
}

TEST_F(UnwinderLive, goes_from_a_signal_stack_to_the_one_that_was_interrupted) {
  std::vector<char> room(256 << 10);  // on the heap: not in the copy of the thread's stack
  stack_t stack{};
  stack.ss_sp = room.data();
  stack.ss_size = room.size();
  ASSERT_EQ(sigaltstack(&stack, nullptr), 0);
  OwnProcess process;
  process_in_handler = &process;
  handle(SIGUSR2, SA_ONSTACK, walk_in_signal_handler);
  raise(SIGUSR2);
  expect_truth(walk_in_handler, 7);
  EXPECT_GT(process.words_read, 0u);
  stack.ss_flags = SS_DISABLE;
  sigaltstack(&stack, nullptr);
}

__attribute__((noinline)) void spin_in_leaf(int before) {
  while (sink == before) {
  }
}

TEST_F(UnwinderLive, finds_the_caller_of_a_leaf_that_was_interrupted) {
  handle(SIGALRM, 0);
  const itimerval soon{.it_interval = {}, .it_value = {.tv_usec = 1000}};
  const int before = sink;
  setitimer(ITIMER_REAL, &soon, nullptr);
  spin_in_leaf(before);
  expect_truth(6);
}

TEST_F(UnwinderLive, says_when_the_copy_of_the_stack_was_too_short) {
  class OnlyCode : public OwnProcess {
    bool read_word(uint64_t, uint64_t&) override { return false; }
  };
  recurse(200);
  OnlyCode process;
  Unwinder unwinder(test::kThisMachine);
  Walk walk;
  // The context is in the first frame; on aarch64 it alone is more than a page.
  const StackCopy part{moment_.registers.sp, std::span(moment_.stack).first(sizeof(ucontext_t) + 3072)};
  unwinder.walk(moment_.registers, part, process, 512, walk);
  EXPECT_EQ(walk.end, End::StackCopyEnded);
  ASSERT_GT(walk.addresses.size(), 10u);
  EXPECT_NE(std::search(moment_.truth.begin(), moment_.truth.end(), walk.addresses.begin() + 1, walk.addresses.end()),
            moment_.truth.end());
  unwinder.walk(moment_.registers, part, process, 7, walk);
  EXPECT_EQ(walk.end, End::TooDeep);
  EXPECT_EQ(walk.addresses.size(), 7u);
}

}  // namespace
}  // namespace atys::unwind

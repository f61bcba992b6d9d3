// SPDX-License-Identifier: Apache-2.0
// x86_64: a walk at every single instruction of a run through libraries, held against the C library's unwinder. The
// processor's trap flag gives a signal after each instruction: prologues, epilogues, PLT slots and leaf functions all come
// by.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

#include <gtest/gtest.h>
#include <signal.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "support/own_process.h"

namespace atys::unwind {
namespace {

using test::Moment;
using test::OwnProcess;

constexpr uint64_t kMostSteps = 100000;

struct Steps {
  OwnProcess process;
  Unwinder unwinder{Machine::X86_64};
  Moment moment{32 << 10};
  uint64_t count = 0;
  uint64_t wrong = 0;
  uint64_t without_rule = 0;  // steps by frame pointer: rules in forms that we do not follow
  uint64_t without_truth = 0;
  uint64_t in_plt = 0;
  uint64_t first_wrong = 0;
  uint64_t first_without_rule = 0;
  Walk walk;
};
Steps* steps = nullptr;

bool is_plt(uint64_t pc) {
  const CodeAt code = steps->process.code_at(pc);
  const Rule* rule = code.table == nullptr ? nullptr : code.table->find(pc - code.bias);
  return rule != nullptr && rule->cfa == Rule::Cfa::Plt;
}

void on_step(int, siginfo_t*, void* given) {
  const auto& context = *static_cast<ucontext_t*>(given);
  if (steps->count++ >= kMostSteps) return;
  steps->moment.take_registers(context);
  steps->moment.take_truth();
  const uint64_t pc = steps->moment.registers.pc;
  steps->unwinder.walk(steps->moment.registers, {steps->moment.registers.sp, steps->moment.stack}, steps->process, 512,
                       steps->walk);
  steps->in_plt += is_plt(pc) ? 1 : 0;
  if (steps->walk.by_frame_pointer > 0) {
    if (steps->without_rule++ == 0) steps->first_without_rule = pc;
    return;
  }
  // The truth begins with the handler's own frames.
  const auto from = std::find(steps->moment.truth.begin(), steps->moment.truth.end(), pc);
  std::vector<uint64_t> truth(from, steps->moment.truth.end());
  // While an exception is delivered, libgcc writes over the registers that its own frames have saved.
  if (!truth.empty() && !steps->process.is_executable(truth.back())) {
    ++steps->without_truth;
    return;
  }
  if (steps->walk.addresses == truth && steps->walk.end == End::Root) return;
  if (steps->wrong++ == 0) steps->first_wrong = pc;
}

void set_trap_flag(bool on) {
  if (on)
    asm volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc");
  else
    asm volatile("pushfq; andq $~0x100, (%%rsp); popfq" ::: "memory", "cc");
}

__attribute__((noinline)) int work() {
  char text[200];
  int sum = std::snprintf(text, sizeof(text), "%d %s %.3f", 42, "text", std::sqrt(static_cast<double>(std::rand())));
  int values[] = {5, 3, 4, 1, 2};
  std::qsort(values, 5, sizeof(int),
             [](const void* a, const void* b) { return *static_cast<const int*>(a) - *static_cast<const int*>(b); });
  std::map<std::string, int> map;
  for (const int value : values) map[std::to_string(value) + text] = value;
  for (const auto& [key, value] : map) sum += value + static_cast<int>(key.size());
  try {
    if (sum > 0) throw sum;
  } catch (int thrown) {
    sum += thrown;
  }
  return sum;
}

TEST(unwinder_step, walks_from_every_instruction) {
  Steps all;
  steps = &all;
  all.moment.take_truth();  // the first call allocates
  struct sigaction action {};
  struct sigaction before {};
  action.sa_sigaction = on_step;
  action.sa_flags = SA_SIGINFO;
  ASSERT_EQ(sigaction(SIGTRAP, &action, &before), 0);
  set_trap_flag(true);
  const int sum = work();
  set_trap_flag(false);
  sigaction(SIGTRAP, &before, nullptr);
  EXPECT_GT(sum, 0);
  if (all.count == 0) GTEST_SKIP() << "no trap flag on this machine";
  EXPECT_LT(all.count, kMostSteps);
  EXPECT_GT(all.count, 5000u);
  EXPECT_EQ(all.wrong, 0u) << std::hex << all.first_wrong;
  EXPECT_GT(all.in_plt, 0u);
  EXPECT_LT(all.without_truth * 100, all.count);
  EXPECT_LT(all.without_rule * 100, all.count) << std::hex << all.first_without_rule;
}

}  // namespace
}  // namespace atys::unwind

#endif

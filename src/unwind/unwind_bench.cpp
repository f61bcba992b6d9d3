// SPDX-License-Identifier: Apache-2.0
// unwind_bench [FILE…]: what it costs to compile the rules of files, and to walk a stack of some 20 frames of this program.
#include <fmt/format.h>

#include <chrono>

#include "support/own_process.h"

namespace {

using atys::test::Moment;
using atys::test::OwnProcess;
using namespace atys::unwind;
using Clock = std::chrono::steady_clock;

double micros_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

// The best of some runs: what is slower was disturbed.
template <typename Work>
double best_micros(int runs, Work work) {
  double best = 1e18;
  for (int i = 0; i < runs; ++i) {
    const auto start = Clock::now();
    work();
    best = std::min(best, micros_since(start));
  }
  return best;
}

void compile(const std::string& path) {
  size_t rows = 0;
  size_t bytes = 0;
  double share = 0;
  const double micros = best_micros(5, [&] {
    const auto file = atys::symbolize::ElfFile::open(path);
    if (!file.ok()) return;
    const auto table = UnwindTable::compile(*file);
    if (!table.ok()) return;
    rows = table->size();
    bytes = table->memory_bytes();
    share = table->frame_pointer_share();
  });
  fmt::print("{:60} {:8} rows {:9} bytes {:5.1f} bytes/row {:8.1f} ms  frame pointers {:.3f}\n", path, rows, bytes,
             rows == 0 ? 0.0 : static_cast<double>(bytes) / static_cast<double>(rows), micros / 1000, share);
}

volatile int sink = 0;
__attribute__((noinline)) void recurse(int depth, Moment& moment) {
  if (depth == 0) {
    ucontext_t context;
    getcontext(&context);
    moment.take_registers(context);
  } else {
    recurse(depth - 1, moment);
  }
  sink = sink + 1;
}

void walk() {
  Moment moment;
  recurse(15, moment);
  OwnProcess process;
  Unwinder unwinder(atys::test::kThisMachine);
  Walk out;
  constexpr int kTimes = 10000;
  const auto walk_once = [&] { unwinder.walk(moment.registers, {moment.registers.sp, moment.stack}, process, 512, out); };
  const double warm = best_micros(20,
                                  [&] {
                                    for (int i = 0; i < kTimes; ++i) walk_once();
                                  }) /
                      kTimes;
  const double cold = best_micros(2000, [&] {
    unwinder.forget_code();
    walk_once();
  });
  fmt::print("walk of {} frames ({}): {:.3f} us with known code, {:.3f} us with forgotten code\n", out.addresses.size(),
             to_string(out.end), warm, cold);
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) compile(argv[i]);
  walk();
  return 0;
}

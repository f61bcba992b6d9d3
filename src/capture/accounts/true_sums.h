// SPDX-License-Identifier: Apache-2.0
// Makes what was sampled sum up to what was counted. How much there was is counted exactly, by the Linux kernel or by the
// sampler beside its samples; what it was, samples tell. Their sums are only as exact as there are many of them, and less on
// a busy machine. Pure.
//
// - Events: all samples together are as many events as were counted.
// - CPU time: the samples of a process are the time that the kernel accounts for it. Processes with few samples share what
//   they have in common: one with a single sample may have run for three periods, or for a tenth of one, and stands for
//   others that have none.
// - Waits: the same for threads, and how long each waited.
// - And no thread has more time than has passed.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace atys::capture {

enum class SampledWhat { Cpu, Event, Wait, Waker };

// One stack of one thread.
struct SampledTime {
  pid_t pid = 0;
  pid_t tid = 0;
  SampledWhat what = SampledWhat::Cpu;
  uint64_t samples = 0;
  uint64_t weight = 0;
};

struct CountedTime {
  std::map<pid_t, uint64_t> cpu_ns;    // by process; of others nothing is known
  std::optional<uint64_t> all_cpu_ns;  // of all together, where it is not known of each
  bool is_weight_exact = false;  // samples weigh what the kernel accounts for their threads: some may lack, none is too much
  std::map<std::pair<pid_t, pid_t>, uint64_t> waited_ns;  // by process and thread; of others nothing is known
  std::optional<uint64_t> events;
  uint64_t lasted_ns = 0;  // 0: not known
};

// Processes that have ended were looked at a moment before their very end, up to a tick of the kernel's: all of them
// together used `all_cpu_ns`, which those that still run are no part of. Accounts that differ by more than that explains
// stay as they are.
void complete(const std::set<pid_t>& still_run, CountedTime& counted);

// By row: what its weight is to be multiplied by.
std::vector<double> true_factors(std::span<const SampledTime> sampled, const CountedTime& counted);

}  // namespace atys::capture

// SPDX-License-Identifier: Apache-2.0
// The parts of a run in which it did different things: reading, then computing, then writing. A boundary is where what was
// sampled before differs from what was sampled after, more than noise ever makes it and enough to matter. A run that goes
// back and forth many times has no phases worth telling: nobody can act on "the ninth".
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace atys::adapt {

struct TimedSample {
  int64_t time_ns = 0;  // Unix time
  double value = 0;
  uint32_t function = 0;  // any number that tells functions apart
};

struct Phase {
  int64_t from_ns = 0;
  int64_t to_ns = 0;  // of the last one: its last sample
};

// In order of time, each from the end of the one before; empty: there is one phase, or too many, or too few samples to tell.
// `samples` is how many independent samples all of them are worth. Times are when samples were taken, or when the part of
// the run began that they are of; `times_are_of_phases`: it was cut where it changed.
std::vector<Phase> find_phases(std::span<const TimedSample> all, double samples, bool times_are_of_phases = false);

// The most that are told.
inline constexpr size_t kMostPhases = 6;

}  // namespace atys::adapt

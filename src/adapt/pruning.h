// SPDX-License-Identifier: Apache-2.0
// What of a window is worth naming, merging and sending (FSP). Most of that work goes into what is seen once or twice: idle
// threads, stacks that occur a single time. Decided by counts alone, before anything has been unwound or given a name.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace atys::adapt {

struct PruningRule {
  enum class Kind { None, Threads, MaxError };
  Kind kind = Kind::None;
  double value = 0;  // of Threads the share that those which are kept hold; of MaxError that of any function's share

  bool operator==(const PruningRule&) const = default;
};

// A thread, or a stack, and how many samples it has.
struct Unit {
  uint64_t key = 0;
  double samples = 0;
  uint64_t group = 0;  // units of one group may stand for each other
};

struct Pruning {
  struct Kept {
    uint64_t key = 0;
    double weight = 1;  // how many samples each of its samples stands for
  };
  std::vector<Kept> kept;    // largest first
  double dropped_share = 0;  // of all samples: what a profile shows as "(pruned)"
  double error_bound = 0;    // of any function's share, 0 to 1
  size_t dropped = 0;        // units
};

// The paper's: the largest units that together hold `share` (P99: 0.99) stay, the rest go. No function's share is off by
// more than what was dropped.
Pruning keep_largest(std::span<const Unit> units, double share);

// Ours: as many of the small ones as the error allows are thinned instead of dropped. One in `thinning` of a group, drawn at
// random, stays and stands for the others, so that nothing is biased, nothing is missing, and each group's sum is exact:
// where a group is the function that stacks end in, the functions' own time has no error at all. `error` bounds what the
// drawing adds to any share of time that functions have with what they call, at 95 %, even if each unit were a function of
// its own.
Pruning thin_smallest(std::span<const Unit> units, double error, uint64_t seed, unsigned thinning = 8);

}  // namespace atys::adapt

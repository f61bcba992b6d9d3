// SPDX-License-Identifier: Apache-2.0
// The timed runs of a comparison: blocks of one A and one B in random order, looked at as planned, until decided.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "linux/measured_run.h"
#include "reduce/random.h"
#include "verbs/compare.h"

namespace atys::verbs {

// The runs of one side, in the order of the blocks.
struct RunColumns {
  std::vector<double> wall_ns;
  std::vector<double> cpu_ns;
  std::vector<double> queue_ns;
  std::vector<double> instructions;  // as many as there are runs, or none
};

// How two commands are run alike.
class CommandPair {
 public:
  CommandPair(const std::vector<std::string>& a, const std::vector<std::string>& b);
  Result<linux::MeasuredRun> run_a(linux::RunLimits limits) const;
  Result<linux::MeasuredRun> run_b(linux::RunLimits limits) const;
  const std::vector<std::string>& a() const { return a_; }
  const std::vector<std::string>& b() const { return b_; }

 private:
  std::vector<std::string> a_;
  std::vector<std::string> b_;
  size_t padding_a_ = 0;  // bytes, so that both start with as much on their stack
  size_t padding_b_ = 0;
};

struct TimedBlocks {
  RunColumns a;
  RunColumns b;
};

struct TimingLimits {
  uint64_t deadline_ns = 0;
  int stop_fd = -1;
  std::function<bool(const CompareProgress&)> on_progress;
};

// Fills what the answer says of runs, looks and verdicts.
Result<TimedBlocks> time_blocks(const CommandPair& commands, const CompareRequest& request, const TimingLimits& limits,
                                reduce::Random& random, CompareAnswer& answer);

// Which time decides, by the rule of docs/decisions/0014.
Metric choose_metric(const TimedBlocks& blocks, std::string& reason);

}  // namespace atys::verbs

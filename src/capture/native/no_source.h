// SPDX-License-Identifier: Apache-2.0
// No samples of our own: for kinds that only a runtime can record of itself.
#pragma once

#include "capture/native/sample_source.h"

namespace atys::capture::native {

class NoSource final : public SampleSource {
 public:
  std::string_view tier() const override { return "runtime"; }
  Result<> start() override { return {}; }
  void stop() override {}
  Result<> set_period(uint64_t) override { return {}; }
  Result<> add_process(pid_t) override { return {}; }
  void set_stack_mode(pid_t, StackMode) override {}
  void set_stack_end(pid_t, uint64_t) override {}
  void collect(SampleSink&) override {}
  void collect_counts(SampleSink&) override {}
  void add_wakeups(std::vector<pollfd>&) const override {}
  SourceTotals totals() const override { return {}; }
};

}  // namespace atys::capture::native

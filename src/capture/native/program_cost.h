// SPDX-License-Identifier: Apache-2.0
// How long our programs in the kernel run. The kernel counts it, which makes each run dearer. A sampler runs some hundred
// times a second, so it is counted all the time; programs on every switch are counted for a while now and then, and the rest
// is taken to be like it.
#pragma once

#include <cstdint>

#include "base/unique_fd.h"
#include "linux/bpf_object.h"

namespace atys::capture::native {

class ProgramCost {
 public:
  explicit ProgramCost(bool runs_often) : runs_often_(runs_often) {}

  // To be called now and then.
  void measure(const linux::BpfObject& object);
  uint64_t total_ns(const linux::BpfObject& object) const { return runs_often_ ? estimated_ns_ : object.run_time_ns(); }

 private:
  bool runs_often_;
  UniqueFd statistics_;  // run times are counted while this is open
  uint64_t estimated_ns_ = 0;
  uint64_t run_time_before_ = 0;
  uint64_t since_ns_ = 0;  // counting, or not counting
  uint64_t known_until_ns_ = 0;
};

}  // namespace atys::capture::native

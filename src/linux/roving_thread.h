// SPDX-License-Identifier: Apache-2.0
// The thread that calls, on one CPU and then on another. Whoever looks at others takes the CPU of one of them, and where
// nothing is free the system lets it stay on the same one: half of them would never be seen to run.
#pragma once

#include <sched.h>

#include <cstdint>
#include <vector>

namespace atys::linux {

class RovingThread {
 public:
  // To the CPU of that number, of those that are permitted, counted in turns.
  void move(uint64_t number);
  // It may be on any again that was permitted before.
  void settle();

 private:
  bool is_bound_ = false;
  cpu_set_t before_{};
  std::vector<size_t> permitted_;
};

}  // namespace atys::linux

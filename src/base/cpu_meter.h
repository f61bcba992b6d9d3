// SPDX-License-Identifier: Apache-2.0
// CPU time of one thread that went into work of one kind, to tell it apart from the rest. Uses within uses count once.
#pragma once

#include <cstdint>
#include <ctime>

#include "base/own_cpu.h"

namespace atys {

class CpuMeter {
 public:
  class Use {
   public:
    explicit Use(CpuMeter& meter) : meter_(meter) {
      if (meter_.uses_++ == 0) meter_.since_ns_ = own_cpu_of_this_thread_ns();
    }
    ~Use() {
      if (--meter_.uses_ == 0) meter_.total_ns_ += own_cpu_of_this_thread_ns() - meter_.since_ns_;
    }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    CpuMeter& meter_;
  };

  uint64_t total_ns() const { return total_ns_; }

 private:
  uint64_t total_ns_ = 0;
  uint64_t since_ns_ = 0;
  int uses_ = 0;
};

}  // namespace atys

// SPDX-License-Identifier: Apache-2.0
// What CPU time a recording costs us, told apart by what for: getting ready, sampling, what comes once (the first look at a
// process, a binary, an interpreter), and giving names. Of the thread that records.
#pragma once

#include <cstdint>

#include "base/cpu_meter.h"
#include "base/own_cpu.h"

namespace atys::capture {

class RecordingCosts {
 public:
  // `first_looks` outlives it. One of several recordings pays for its own thread, a recording alone for the whole process.
  RecordingCosts(const CpuMeter& first_looks, bool is_one_of_several)
      : first_looks_(first_looks), is_one_of_several_(is_one_of_several) {}

  // What comes from now on is sampling.
  void begin_sampling() {
    setup_ns_ = own_ns();
    looks_before_ns_ = first_looks_.total_ns();
  }
  // For as long as it lives it is naming instead.
  class Naming {
   public:
    explicit Naming(RecordingCosts& costs) : costs_(costs), before_ns_(costs.own_ns()) {}
    ~Naming() { costs_.naming_ns_ += costs_.own_ns() - before_ns_; }
    Naming(const Naming&) = delete;
    Naming& operator=(const Naming&) = delete;

   private:
    RecordingCosts& costs_;
    uint64_t before_ns_;
  };

  uint64_t setup_ns() const { return setup_ns_; }
  uint64_t first_looks_ns() const { return first_looks_.total_ns() - looks_before_ns_; }  // while it samples
  uint64_t naming_ns() const { return naming_ns_; }
  uint64_t sampling_ns() const { return own_ns() - setup_ns_ - naming_ns_ - first_looks_ns(); }

 private:
  uint64_t own_ns() const { return is_one_of_several_ ? own_cpu_of_this_thread_ns() : own_cpu_ns(); }

  const CpuMeter& first_looks_;
  const bool is_one_of_several_;
  uint64_t setup_ns_ = 0;
  uint64_t looks_before_ns_ = 0;  // first looks that were part of that
  uint64_t naming_ns_ = 0;
};

}  // namespace atys::capture

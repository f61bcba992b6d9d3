// SPDX-License-Identifier: Apache-2.0
// Stacks by stopping a thread for some 50 µs: its registers, the top of its stack and an interpreter's frames are read while
// it stands (linux/thread_stopper.h).
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "capture/native/looked_at.h"
#include "linux/thread_stopper.h"

namespace atys::capture::native {

class StopWay {
 public:
  enum class Outcome { Sampled, Nothing, Refused };
  // The spans of the sample are in this object: used again by the next one.
  Outcome take(LookedProcess& process, LookedThread& thread, uint64_t period_ns, uint32_t stack_bytes, RawSample& sample);

  // Who gave us its CPU stops only when it has one again, and still stands where we looked. False: none stands.
  struct Looked {
    LookedProcess* process = nullptr;
    LookedThread* thread = nullptr;
  };
  using Find = std::function<Looked(pid_t pid, pid_t tid)>;
  bool take_late(const Find& find, uint64_t period_ns, RawSample& sample, Outcome& outcome);

  void pass_on_events();
  void release();
  bool awaits(pid_t tid) const { return stopper_ && stopper_->holds(tid); }
  bool awaits_any() const { return stopper_ && stopper_->holds_any(); }
  void add_figures(SourceTotals& totals) const;

 private:
  bool may_be_stopped(pid_t pid, LookedProcess& process);
  bool read(const linux::StoppedThread& stopped, LookedProcess& process, LookedThread& thread, uint64_t period_ns,
            RawSample& sample);

  std::optional<linux::ThreadStopper> stopper_;  // made by the thread that samples
  uint64_t stopped_ns_ = 0;                      // of threads of the target, as far as it was for us
  std::vector<atys_walked> frames_;
  std::vector<std::byte> stack_;
};

}  // namespace atys::capture::native

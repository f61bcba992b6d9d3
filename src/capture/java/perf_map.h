// SPDX-License-Identifier: Apache-2.0
// Names of compiled Java methods without an agent: the machine writes /tmp/perf-PID.map when it is asked to (JDK 17 and
// later), and the native kernel names its frames by that. Interpreted methods stay the interpreter's, and without
// -XX:+PreserveFramePointer stacks end at the first compiled frame.
#pragma once

#include <memory>

#include "base/result.h"
#include "capture/java/attach_client.h"
#include "capture/profiling_kernel.h"

namespace atys::capture::java {

inline constexpr int kFirstWithPerfMap = 17;

// A map that was written for a recording that was killed; it is gone when that returns.
inline constexpr std::string_view kPerfMap = "perf map";
bool undo_perf_map(const TraceNote& note, bool is_alive);

class PerfMapCompanion final : public Companion {
 public:
  static Result<std::unique_ptr<PerfMapCompanion>> create(const JavaProcess& process, const std::string& trace_folder = {});
  ~PerfMapCompanion() override;

  // A map that is there already and belongs to the process is written anew; anything else of that name is left alone.
  Result<> before_naming() override;

 private:
  PerfMapCompanion(AttachClient client, UniqueFd temp, const linux::ProcessInfo& info);
  // Whether the file is there; an error where the machine must not write to it.
  Result<bool> has_map() const;

  AttachClient client_;
  UniqueFd temp_;  // the process's /tmp
  linux::ProcessInfo info_;
  std::string file_;
  bool is_ours_ = false;
  std::string trace_folder_;
  Trace trace_;
};

}  // namespace atys::capture::java

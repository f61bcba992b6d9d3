// SPDX-License-Identifier: Apache-2.0
// Samples that async-profiler takes inside a Java machine: Java, native and kernel frames in one stack, compiled,
// interpreted and inlined ones told apart, for all threads of the process.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "capture/java/agent_library.h"
#include "capture/java/java_process.h"
#include "capture/recording_plan.h"
#include "capture/self_recording/own_recorder.h"

namespace atys::capture::java {

// The part of async-profiler's options that says what to record. Unsupported: it cannot record that kind.
Result<std::string> agent_event(const Kind& kind, double hz);

// The names of those that it can.
std::vector<std::string_view> agent_kinds();

class AsyncProfiler final : public OwnRecorder {
 public:
  // Nothing is done to the process before start(). Without `library` one has to be in the process already.
  static Result<std::unique_ptr<AsyncProfiler>> create(JavaProcess process, std::unique_ptr<AgentLibrary> library,
                                                       const RecordingPlan& plan);
  ~AsyncProfiler() override;

  Result<> start() override;
  Result<Profile> take(bool is_last) override;
  void set_rate(double hz) override;
  void end_by(std::chrono::steady_clock::time_point time) override;
  std::vector<pid_t> made_threads() const override;

 private:
  AsyncProfiler();
  Result<> start_session();
  Result<Profile> take_present(bool is_last);  // since the rate changed
  Result<> end_or_dump(bool is_last);
  Result<Profile> read_new();

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace atys::capture::java

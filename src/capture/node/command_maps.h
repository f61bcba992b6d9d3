// SPDX-License-Identifier: Apache-2.0
// Names of JavaScript functions of a command that we start, without an inspector: V8 writes a perf map where the program is
// asked to by NODE_OPTIONS, and the native kernel reads it. Maps of all processes of the command are removed in the end.
//
// V8 writes to /tmp/perf-PID.map, follows links, and ends the process where it cannot. So that of the command itself is made
// by us before it begins; and nothing is asked for where somebody else could have one of its children write elsewhere. It
// also begins a log in the folder that the process is in, which is removed too; where that cannot be written the lines would
// go to the program's output, so nothing is asked for there either.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "capture/profiling_kernel.h"

namespace atys::capture::node {

class CommandMaps final : public CommandHelp {
 public:
  // Null where the command is not Node.js, or says itself whether it writes a map.
  static std::unique_ptr<CommandHelp> of(const RecordingPlan& plan);
  ~CommandMaps() override;

  std::vector<std::string> environment() const override { return {"NODE_OPTIONS=" + options_}; }
  Result<> prepare(pid_t command) override;
  void note_process(pid_t pid) override;

 private:
  CommandMaps() = default;
  TraceNote note() const;

  std::string options_;
  std::string trace_folder_;
  Trace trace_;
  pid_t command_ = 0;
  uint64_t start_time_ticks_ = 0;
  std::set<pid_t> pids_;
  std::set<std::string> folders_;  // that they were in
};

inline constexpr std::string_view kMapsOfCommand = "perf maps of a command";
bool undo_maps(const TraceNote& note);

// Whether nobody but the two of us, our user and root, can put links into /tmp that are followed.
bool is_tmp_safe();

}  // namespace atys::capture::node

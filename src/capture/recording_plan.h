// SPDX-License-Identifier: Apache-2.0
// What to record, and within which limits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapt/pruning.h"
#include "base/result.h"
#include "capture/target/target.h"
#include "profile/kinds.h"

namespace atys::capture {

// Where stacks come from: chosen by what this machine permits, or forced.
enum class Tier { Auto, Ebpf, Perf, Signal, Stop, Memory };

// A row of the table of kinds, and which event where it is of any.
struct Kind {
  const profile::KindRow* row = &profile::default_kind();
  std::string event = {};  // "page-faults", "cycles:p", "sched:sched_switch", "r01c2" …; empty: it is of none

  // As people write them: "cpu", "off_cpu", "OffCPU", "event:NAME".
  static Result<Kind> parse(std::string_view text);
  std::string text() const;
};

struct RecordingPlan {
  Target target;
  Kind kind;
  Tier tier = Tier::Auto;
  // Threads of processes that we did not start may be stopped, for some 50 µs each time.
  bool may_pause = false;
  // The inspector of Node.js processes may be opened, which lets in whoever may connect to the loopback interface.
  bool may_open_inspector = false;
  double hz = 99;
  uint64_t duration_ns = 0;  // 0: until the command ends, or somebody ends it
  double max_overhead = 0.01;
  uint64_t max_samples = 0;  // 0: no limit
  std::string cache_folder;  // tables of binaries, by what the file is; empty: none
  std::string trace_folder;  // notes of what a recording has in other processes, see traces.h; empty: none
  bool may_ask_debuginfod = false;
  std::vector<std::pair<std::string, std::string>> labels;
  adapt::PruningRule pruning;  // of each window
  // Several recordings in one process, each in a thread of its own: signals are somebody else's, and our cost is the
  // thread's.
  bool is_one_of_several = false;
  int wake_fd = -1;  // becomes readable when step() is to return early; -1: nobody wakes it
  // Samples of a window have times, if there are not many: when they were taken.
  bool keeps_times = false;
  // Samples of a run that does one thing after another have times: when its phase began.
  bool tells_phases = false;
};

// Whether only runtimes that record themselves have it.
inline bool is_of_runtimes(const Kind& kind) { return kind.row->recorded_by == profile::KindRow::RecordedBy::Runtimes; }

Result<Tier> parse_tier(std::string_view text);

// All that parse() knows, for help and completion; "event:" wants a name.
std::vector<std::string> kind_names();
std::vector<std::string> tier_names();

}  // namespace atys::capture

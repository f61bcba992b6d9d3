// SPDX-License-Identifier: Apache-2.0
// A target as it runs: the same table again and again, each time of the last few seconds.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "verbs/capture.h"

namespace atys::verbs {

struct TopRequest {
  CaptureRequest target;  // output and duration are not looked at
  double seconds = 2;     // of one window
  size_t rows = 20;
  int wake_fd = -1;         // becomes readable when step() is to return early; -1: nobody wakes it
  bool joins_last = false;  // a last window that is cut short by the end of the target has the one before in it
};

// Who calls a function, and how much of its time is on account of each.
struct CallerRow {
  std::string name;
  double value = 0;
  double percent = 0;  // of the function's total
};

// One window.
struct TopAnswer {
  SummaryAnswer summary;
  std::string function;  // the one that `callers` is about; empty: none was asked for
  std::vector<CallerRow> callers;
  double hz = 0;
  double overhead_percent = 0;
  bool is_last = false;  // the target has ended
  bool by_total = false;
};

class LiveTop {
 public:
  static Result<std::unique_ptr<LiveTop>> open(const TopRequest& request);
  ~LiveTop();

  // Works for a while, no longer than that. True: a window is complete, or the target has ended.
  bool step(int timeout_ms);
  // While it is held the latest window stays the latest; what is recorded meanwhile is not kept.
  void hold(bool is_held);
  // The latest window; `function` may be empty.
  Result<TopAnswer> window(const std::string& function, bool by_total) const;
  bool has_ended() const;
  bool was_interrupted() const;  // it ended because somebody told us to, not because the target did
  int command_pid() const;       // of a command of ours that still runs; 0: none

 private:
  class State;
  explicit LiveTop(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace atys::verbs

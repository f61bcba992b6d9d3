// SPDX-License-Identifier: Apache-2.0
// Self time per call path from a sequence of frames that open and close. Paths are summed in a tree, so that the cost is
// linear in the events, however deep the stacks are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/call_tree.h"
#include "profile/profile.h"

namespace atys::format::speedscope {

// A time that is never 0, which would be none: from the start on, all are one later than they are.
inline int64_t never_zero(int64_t time) { return time >= 0 && time < INT64_MAX ? time + 1 : time; }

class EventTree {
 public:
  explicit EventTree(bool keeps_times = false) : keeps_times_(keeps_times) {}

  // The time since the last event goes to what is open. Errors do not say where: the caller knows the path.
  Result<> advance(int64_t at);
  void open(profile::FrameId frame);
  Result<> close(profile::FrameId frame);

  bool is_balanced() const { return current_ == kCallTreeRoot; }

  // Adds one sample per path with self time to column `column`; where times are kept, one for each time between two events.
  // Fails if the stacks written out would fill the memory.
  Result<> add_samples(Profile& profile, profile::LabelSetId labels, size_t column) const;

 private:
  // What was open from one event to the next.
  struct Stretch {
    CallNodeId node{};
    int64_t from = 0;
    int64_t length = 0;
  };

  size_t frames_of_all_paths() const;
  profile::StackId stack_of(CallNodeId node, Profile& profile) const;

  bool keeps_times_;
  std::vector<Stretch> stretches_;
  CallTree tree_;
  std::vector<int64_t> self_{0};  // per node
  CallNodeId current_ = kCallTreeRoot;
  int64_t last_at_ = 0;
  bool has_started_ = false;
};

}  // namespace atys::format::speedscope

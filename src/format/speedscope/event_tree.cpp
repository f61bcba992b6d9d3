// SPDX-License-Identifier: Apache-2.0
#include "format/speedscope/event_tree.h"

namespace atys::format::speedscope {

using namespace profile;

namespace {

// A file of n bytes can describe n²/2 frames: a ladder of calls that pauses on each rung. This is half a gigabyte of ids.
constexpr size_t kMaxFrames = size_t{1} << 27;

}  // namespace

Result<> EventTree::advance(int64_t at) {
  if (has_started_ && at < last_at_) return fail(ErrorCode::InvalidInput, "time goes back");
  int64_t elapsed = 0;
  if (has_started_ && __builtin_sub_overflow(at, last_at_, &elapsed))
    return fail(ErrorCode::InvalidInput, "too long after the event before");
  int64_t& self = self_[raw(current_)];
  if (__builtin_add_overflow(self, elapsed, &self)) return fail(ErrorCode::InvalidInput, "more time than 64 bits hold");
  if (keeps_times_ && elapsed != 0 && current_ != kCallTreeRoot) stretches_.push_back({current_, last_at_, elapsed});
  last_at_ = at;
  has_started_ = true;
  return {};
}

void EventTree::open(FrameId frame) {
  current_ = tree_.intern({current_, raw(frame)});
  if (raw(current_) >= self_.size()) self_.push_back(0);
}

Result<> EventTree::close(FrameId frame) {
  if (current_ == kCallTreeRoot) return fail(ErrorCode::InvalidInput, "closes a frame, but none is open");
  if (tree_[current_].frame != raw(frame))
    return fail(ErrorCode::InvalidInput, "closes a frame that is not the innermost open one");
  current_ = tree_[current_].parent;
  return {};
}

size_t EventTree::frames_of_all_paths() const {
  std::vector<uint32_t> depth(tree_.size(), 0);
  size_t total = 0;
  for (uint32_t i = 1; i < tree_.size(); ++i) {
    depth[i] = depth[raw(tree_[CallNodeId{i}].parent)] + 1;
    if (self_[i] != 0) total += depth[i];
  }
  return total;
}

Result<> EventTree::add_samples(Profile& profile, LabelSetId labels, size_t column) const {
  if (frames_of_all_paths() > kMaxFrames) return fail(ErrorCode::ResourceExhausted, "the stacks are too many and too deep");
  std::vector<int64_t> values(profile.value_types().size());
  std::vector<StackId> stacks(tree_.size());
  for (uint32_t i = 1; i < tree_.size(); ++i) {  // time with nothing open is nobody's
    if (self_[i] == 0) continue;
    stacks[i] = stack_of(CallNodeId{i}, profile);
    values[column] = self_[i];
    if (!keeps_times_) profile.samples.add(stacks[i], labels, values);
  }
  for (const Stretch& stretch : stretches_) {
    values[column] = stretch.length;
    profile.samples.add(stacks[raw(stretch.node)], labels, values, never_zero(stretch.from));
  }
  return {};
}

StackId EventTree::stack_of(CallNodeId node, Profile& profile) const {
  std::vector<FrameId> frames;
  for (; node != kCallTreeRoot; node = tree_[node].parent) frames.push_back(FrameId{tree_[node].frame});
  return profile.stacks.intern(frames);
}

}  // namespace atys::format::speedscope

// SPDX-License-Identifier: Apache-2.0
#include "capture/walk_remote.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

namespace atys::capture {

namespace {

constexpr uint64_t kCodeMask = 0xffffffffffff;
constexpr int kMarkerShift = 48;

// The part of a frame that the table speaks of.
class Window {
 public:
  bool read(linux::MemoryReader& memory, const atys_walker& walker, uint64_t frame) {
    if (walker.window == 0 || walker.window > bytes_.size()) return false;
    return memory.read_all(frame + static_cast<int64_t>(walker.window_at), std::span(bytes_).first(walker.window));
  }
  uint64_t number(uint32_t offset, uint32_t size) const {
    uint64_t value = 0;
    if (size <= sizeof value && offset <= bytes_.size() - sizeof value) std::memcpy(&value, bytes_.data() + offset, size);
    return value;
  }
  atys_walked walked(const atys_walker& walker) const {
    return {.code = (number(walker.code, 8) & kCodeMask) | number(walker.marker, walker.marker_bytes) << kMarkerShift,
            .position = number(walker.position, walker.position_bytes)};
  }
  uint64_t next(const atys_walker& walker, uint64_t frame) const {
    return walker.stride != 0 ? frame + static_cast<int64_t>(walker.stride) : number(walker.next, 8);
  }

 private:
  std::array<std::byte, ATYS_FRAME_WINDOW> bytes_{};
};

// Notices that a chain of frames bites its tail, with one address to remember (Brent).
class LoopGuard {
 public:
  bool is_loop(uint64_t frame) {
    if (frame == seen_) return true;
    if (++steps_ == limit_) {
      seen_ = frame;
      steps_ = 0;
      limit_ *= 2;
    }
    return false;
  }

 private:
  uint64_t seen_ = 0;
  uint64_t steps_ = 0;
  uint64_t limit_ = 1;
};

RemoteWalk walk_from(linux::MemoryReader& memory, const atys_walker& walker, uint64_t frame, uint64_t end,
                     std::vector<atys_walked>& frames) {
  LoopGuard guard;
  Window window;
  for (; frame != 0 && frame != end; frame = window.next(walker, frame)) {
    if (frames.size() == ATYS_MAX_WALKED) return RemoteWalk::Cut;
    if (guard.is_loop(frame) || !window.read(memory, walker, frame)) return RemoteWalk::Torn;
    frames.push_back(window.walked(walker));
  }
  return frames.empty() ? RemoteWalk::Idle : RemoteWalk::Whole;
}

// Another function may have come to lie where the innermost frame was; that it runs the same code is the cheap proof.
bool is_unchanged(linux::MemoryReader& memory, const atys_walker& walker, uint64_t innermost, const atys_walked& walked) {
  Window window;
  return window.read(memory, walker, innermost) && window.walked(walker).code == walked.code;
}

// Nothing: the state cannot be read.
std::optional<uint64_t> top_of(linux::MemoryReader& memory, const atys_walker& walker, uint64_t state) {
  atys_path path = walker.top;
  if (path.count == 0) return state;
  path.count = std::min<uint32_t>(path.count, ATYS_MAX_STEPS) - 1;
  const uint64_t at = follow_remote(memory, state, path);
  return at == 0 ? std::nullopt : memory.value_at<uint64_t>(at + path.steps[path.count]);
}

RemoteWalk walk_once(linux::MemoryReader& memory, const atys_walker& walker, uint64_t state,
                     std::vector<atys_walked>& frames) {
  frames.clear();
  const auto before = top_of(memory, walker, state);
  if (!before) return RemoteWalk::Torn;
  const uint64_t end = walker.stride != 0 ? follow_remote(memory, state, walker.end) : 0;
  const RemoteWalk outcome = walk_from(memory, walker, *before, end, frames);
  if (top_of(memory, walker, state) != before) return RemoteWalk::Torn;
  if (!frames.empty() && !is_unchanged(memory, walker, *before, frames.front())) return RemoteWalk::Torn;
  return outcome;
}

}  // namespace

uint64_t follow_remote(linux::MemoryReader& memory, uint64_t at, const atys_path& path) {
  for (uint32_t i = 0; i < std::min<uint32_t>(path.count, ATYS_MAX_STEPS); ++i) {
    if (at == 0) return 0;
    at = memory.value_at<uint64_t>(at + path.steps[i]).value_or(0);
  }
  return at;
}

RemoteWalk walk_remote(linux::MemoryReader& memory, const atys_walker& walker, uint64_t state,
                       std::vector<atys_walked>& frames) {
  for (int attempt = 0; attempt < kWalkAttempts; ++attempt) {
    const RemoteWalk outcome = walk_once(memory, walker, state, frames);
    if (outcome != RemoteWalk::Torn) return outcome;
  }
  frames.clear();
  return RemoteWalk::Torn;
}

}  // namespace atys::capture

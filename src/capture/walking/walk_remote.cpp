// SPDX-License-Identifier: Apache-2.0
#include "capture/walking/walk_remote.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "capture/walking/code_cookie.h"
#include "capture/walking/pieces_ahead.h"

namespace atys::capture {

namespace {

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
    return {.code = (number(walker.code, 8) & ATYS_ADDRESS) | number(walker.marker, walker.marker_bytes) << kMarkerShift,
            .position = number(walker.position, walker.position_bytes),
            .cookie = 0};
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
                     std::vector<atys_walked>& frames, std::vector<uint64_t>& addresses) {
  addresses.clear();
  LoopGuard guard;
  Window window;
  for (; frame != 0 && frame != end; frame = window.next(walker, frame)) {
    if (frames.size() == ATYS_MAX_WALKED) return RemoteWalk::Cut;
    if (guard.is_loop(frame) || !window.read(memory, walker, frame)) return RemoteWalk::Torn;
    frames.push_back(window.walked(walker));
    addresses.push_back(frame);
  }
  return frames.empty() ? RemoteWalk::Idle : RemoteWalk::Whole;
}

// Nothing: the state cannot be read.
std::optional<uint64_t> top_of(linux::MemoryReader& memory, const atys_walker& walker, uint64_t state) {
  atys_path path = walker.top;
  if (path.count == 0) return state;
  path.count = std::min<uint32_t>(path.count, ATYS_MAX_STEPS) - 1;
  const uint64_t at = follow_remote(memory, state, path);
  return at == 0 ? std::nullopt : memory.value_at<uint64_t>(at + path.steps[path.count]);
}

// Frames that are likely to be asked for.
std::vector<PiecesAhead::Range> windows_of(const atys_walker& walker, const std::vector<uint64_t>& frames) {
  std::vector<PiecesAhead::Range> windows;
  for (const uint64_t frame : frames)
    windows.push_back({frame + static_cast<int64_t>(walker.window_at), std::min<size_t>(walker.window, ATYS_FRAME_WINDOW)});
  return windows;
}

// All frames once more, with one call: a function that returned meanwhile, and another that came to lie where it was, show.
// Only the innermost goes on running while we look.
bool is_unchanged(linux::MemoryReader& memory, const atys_walker& walker, const std::vector<uint64_t>& addresses,
                  const std::vector<atys_walked>& frames) {
  PiecesAhead again(memory, windows_of(walker, addresses));
  if (!again.has_all()) return false;
  Window window;
  for (size_t i = 0; i < addresses.size(); ++i) {
    if (!window.read(again, walker, addresses[i])) return false;
    const atys_walked now = window.walked(walker);
    if (now.code != frames[i].code || (i > 0 && now.position != frames[i].position)) return false;
  }
  return true;
}

// `expected`: where frames are likely to be.
RemoteWalk walk_once(linux::MemoryReader& memory, const atys_walker& walker, uint64_t state,
                     const std::vector<uint64_t>& expected, std::vector<atys_walked>& frames,
                     std::vector<uint64_t>& addresses) {
  frames.clear();
  const auto before = top_of(memory, walker, state);
  if (!before) return RemoteWalk::Torn;
  const uint64_t end = walker.stride != 0 ? follow_remote(memory, state, walker.end) : 0;
  PiecesAhead ahead(memory, windows_of(walker, expected));
  const RemoteWalk outcome = walk_from(ahead, walker, *before, end, frames, addresses);
  // Code lives as long as frames that run it do: what is read before they are looked at again is of them.
  if (outcome != RemoteWalk::Torn) read_cookies(memory, walker.cookie, frames);
  if (outcome == RemoteWalk::Torn || top_of(memory, walker, state) != before ||
      !is_unchanged(memory, walker, addresses, frames))
    return RemoteWalk::Torn;
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
  return RemoteWalker().walk(memory, walker, state, frames);
}

RemoteWalk RemoteWalker::walk(linux::MemoryReader& memory, const atys_walker& walker, uint64_t state,
                              std::vector<atys_walked>& frames) {
  std::vector<uint64_t> addresses;
  for (int attempt = 0; attempt < kWalkAttempts; ++attempt) {
    const RemoteWalk outcome = walk_once(memory, walker, state, last_, frames, addresses);
    last_ = addresses;
    if (outcome != RemoteWalk::Torn) return outcome;
  }
  frames.clear();
  return RemoteWalk::Torn;
}

}  // namespace atys::capture

// SPDX-License-Identifier: Apache-2.0
#include "capture/walk_remote.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <unordered_map>

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

// Frames that are likely to be asked for, read with one call.
class FramesAhead final : public linux::MemoryReader {
 public:
  FramesAhead(linux::MemoryReader& memory, const atys_walker& walker, const std::vector<uint64_t>& frames)
      : memory_(memory), size_(std::min<size_t>(walker.window, ATYS_FRAME_WINDOW)), bytes_(frames.size() * size_) {
    std::vector<Piece> pieces;
    for (size_t i = 0; i < frames.size(); ++i) {
      const uint64_t address = frames[i] + static_cast<int64_t>(walker.window_at);
      pieces.push_back({address, std::span(bytes_).subspan(i * size_, size_)});
      places_.emplace(address, i * size_);
    }
    known_ = memory.read_pieces(pieces) * size_;
  }

  bool has_all() const { return known_ == bytes_.size(); }

  size_t read(uint64_t address, std::span<std::byte> into) override {
    const auto place = places_.find(address);
    if (place == places_.end() || place->second >= known_ || into.size() > size_) return memory_.read(address, into);
    std::memcpy(into.data(), &bytes_[place->second], into.size());
    return into.size();
  }

 private:
  linux::MemoryReader& memory_;
  size_t size_;
  std::vector<std::byte> bytes_;
  std::unordered_map<uint64_t, size_t> places_;
  size_t known_ = 0;
};

// All frames once more, with one call: a function that returned meanwhile, and another that came to lie where it was, show.
// Only the innermost goes on running while we look.
bool is_unchanged(linux::MemoryReader& memory, const atys_walker& walker, const std::vector<uint64_t>& addresses,
                  const std::vector<atys_walked>& frames) {
  FramesAhead again(memory, walker, addresses);
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
  FramesAhead ahead(memory, walker, expected);
  const RemoteWalk outcome = walk_from(ahead, walker, *before, end, frames, addresses);
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

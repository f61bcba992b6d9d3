// SPDX-License-Identifier: Apache-2.0
// Stretches of code of one binary that were resolved already, so that opening its debug information again, which costs more
// than everything else about a short recording, is not needed for them. Has a flat byte form for the disk cache that is
// looked at where it lies: nothing of it is taken on trust.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "symbolize/module.h"

namespace atys::symbolize {

class LineCache {
 public:
  // What save() made; `keeper` holds the bytes. Damaged: as if there were none.
  void load(std::span<const std::byte> bytes, std::shared_ptr<const void> keeper);
  // All of it, old and new. What is old is forgotten when both would be too large.
  Bytes save() const;

  // Empty: not known; no frames: known to have no name.
  std::optional<std::vector<SourceFrame>> find(uint64_t address) const;
  // Beyond a bound nothing is added.
  void add(ResolvedRange range);
  bool has_news() const { return !news_.empty(); }
  size_t size() const;  // ranges

 private:
  // The parts of the flat form (line_cache_writer.h).
  struct Parts {
    std::span<const std::byte> ranges;
    std::span<const std::byte> numbers;
    std::span<const std::byte> frames;
    std::span<const std::byte> texts;
  };
  static std::optional<Parts> parts_of(std::span<const std::byte> bytes);
  std::optional<std::vector<SourceFrame>> old_frames_at(uint64_t address) const;
  std::optional<SourceFrame> old_frame(uint32_t place) const;
  std::optional<std::string_view> old_text(uint32_t offset) const;

  std::shared_ptr<const void> keeper_;
  Parts old_;
  std::map<uint64_t, ResolvedRange> news_;  // by start
};

}  // namespace atys::symbolize

// SPDX-License-Identifier: Apache-2.0
#include "symbolize/function_ranges.h"

#include <algorithm>

#include "symbolize/frame_section.h"

namespace atys::symbolize {

namespace {

bool is_code(const ElfFile& file, const FrameEntry& entry) {
  return std::any_of(file.segments().begin(), file.segments().end(), [&](const ElfFile::Segment& segment) {
    return segment.is_executable && entry.begin >= segment.address && entry.end - segment.address <= segment.memory_size;
  });
}

}  // namespace

FunctionRanges FunctionRanges::read(const ElfFile& file) {
  FunctionRanges made;
  const FrameSection section = read_eh_frame(file);
  made.ranges_.reserve(section.entries.size());
  for (const FrameEntry& entry : section.entries)
    if (is_code(file, entry)) made.ranges_.push_back({entry.begin, entry.end});
  std::stable_sort(made.ranges_.begin(), made.ranges_.end(),
                   [](const FunctionRange& a, const FunctionRange& b) { return a.begin < b.begin; });
  uint64_t covered = 0;
  std::erase_if(made.ranges_, [&](const FunctionRange& range) {
    if (range.begin < covered) return true;
    covered = range.end;
    return false;
  });
  made.ranges_.shrink_to_fit();
  return made;
}

std::vector<FunctionRange>::const_iterator FunctionRanges::after(uint64_t address) const {
  return std::upper_bound(ranges_.begin(), ranges_.end(), address,
                          [](uint64_t wanted, const FunctionRange& range) { return wanted < range.begin; });
}

std::optional<FunctionRange> FunctionRanges::find(uint64_t address) const {
  const auto next = after(address);
  if (next == ranges_.begin() || address >= std::prev(next)->end) return {};
  return *std::prev(next);
}

uint64_t FunctionRanges::same_until(uint64_t address) const {
  if (const auto range = find(address)) return range->end;
  const auto next = after(address);
  return next == ranges_.end() ? UINT64_MAX : next->begin;
}

}  // namespace atys::symbolize

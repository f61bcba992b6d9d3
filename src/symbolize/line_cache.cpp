// SPDX-License-Identifier: Apache-2.0
#include "symbolize/line_cache.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "symbolize/line_cache_writer.h"

namespace atys::symbolize {

namespace {

constexpr size_t kMostNews = 65536;
constexpr uint32_t kMostFrames = 1024;
constexpr size_t kMostBytes = size_t{4} << 20;

template <typename Record>
std::optional<Record> record_at(std::span<const std::byte> bytes, size_t number) {
  if (number >= bytes.size() / sizeof(Record)) return {};
  Record record;
  std::memcpy(&record, bytes.data() + number * sizeof(Record), sizeof(Record));
  return record;
}

// The first `count` records, and what is behind them.
template <typename Record>
std::optional<std::span<const std::byte>> take(std::span<const std::byte>& from, uint32_t count) {
  if (count > from.size() / sizeof(Record)) return {};
  const auto taken = from.first(count * sizeof(Record));
  from = from.subspan(taken.size());
  return taken;
}

}  // namespace

std::optional<LineCache::Parts> LineCache::parts_of(std::span<const std::byte> bytes) {
  const auto header = record_at<LineTableHeader>(bytes, 0);
  if (!header) return {};
  bytes = bytes.subspan(sizeof *header);
  const auto ranges = take<LineTableRange>(bytes, header->ranges);
  const auto numbers = ranges ? take<uint32_t>(bytes, header->numbers) : std::nullopt;
  const auto frames = numbers ? take<LineTableFrame>(bytes, header->frames) : std::nullopt;
  if (!frames || bytes.size() != header->text_bytes || (!bytes.empty() && bytes.back() != std::byte{0})) return {};
  return Parts{*ranges, *numbers, *frames, bytes};
}

void LineCache::load(std::span<const std::byte> bytes, std::shared_ptr<const void> keeper) {
  if (const auto parts = parts_of(bytes)) {
    old_ = *parts;
    keeper_ = std::move(keeper);
  }
}

Bytes LineCache::save() const {
  LineTableWriter writer;
  const bool has_room = old_.ranges.size() + old_.numbers.size() + old_.frames.size() + old_.texts.size() < kMostBytes;
  if (has_room) writer.begin_with(old_.ranges, old_.numbers, old_.frames, old_.texts);
  for (const auto& [start, range] : news_) writer.add(range);
  Bytes made = writer.finish();
  if (made.size() <= kMostBytes || !has_room) return made;
  LineTableWriter afresh;
  for (const auto& [start, range] : news_) afresh.add(range);
  return afresh.finish();
}

size_t LineCache::size() const { return old_.ranges.size() / sizeof(LineTableRange) + news_.size(); }

std::optional<std::string_view> LineCache::old_text(uint32_t offset) const {
  if (offset >= old_.texts.size()) return {};
  return reinterpret_cast<const char*>(old_.texts.data()) + offset;
}

std::optional<SourceFrame> LineCache::old_frame(uint32_t place) const {
  const auto number = record_at<uint32_t>(old_.numbers, place);
  const auto frame = number ? record_at<LineTableFrame>(old_.frames, *number) : std::nullopt;
  if (!frame) return {};
  const auto function = old_text(frame->function);
  const auto system_name = old_text(frame->system_name);
  const auto file = old_text(frame->file);
  if (!function || !system_name || !file) return {};
  return SourceFrame{std::string(*function), std::string(*system_name), std::string(*file), frame->line, frame->start_line};
}

std::optional<std::vector<SourceFrame>> LineCache::old_frames_at(uint64_t address) const {
  size_t low = 0;
  size_t high = old_.ranges.size() / sizeof(LineTableRange);
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (record_at<LineTableRange>(old_.ranges, middle)->start <= address)
      low = middle + 1;
    else
      high = middle;
  }
  const auto range = low == 0 ? std::nullopt : record_at<LineTableRange>(old_.ranges, low - 1);
  if (!range || address < range->start || address - range->start >= range->length || range->frames > kMostFrames) return {};
  std::vector<SourceFrame> frames;
  for (uint32_t i = 0; i < range->frames; ++i) {
    auto frame = old_frame(range->first_number + i);
    if (!frame) return {};
    frames.push_back(std::move(*frame));
  }
  return frames;
}

std::optional<std::vector<SourceFrame>> LineCache::find(uint64_t address) const {
  const auto after = news_.upper_bound(address);
  if (after != news_.begin())
    if (const ResolvedRange& range = std::prev(after)->second; address < range.end) return range.frames;
  return old_frames_at(address);
}

void LineCache::add(ResolvedRange range) {
  if (news_.size() >= kMostNews || range.frames.size() > kMostFrames || range.start >= range.end) return;
  if (range.end - range.start > UINT32_MAX || !std::all_of(range.frames.begin(), range.frames.end(), can_be_kept)) return;
  news_.try_emplace(range.start, std::move(range));
}

}  // namespace atys::symbolize

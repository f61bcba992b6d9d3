// SPDX-License-Identifier: Apache-2.0
#include "symbolize/line_cache_writer.h"

#include <algorithm>
#include <cstring>

namespace atys::symbolize {

namespace {

template <typename Record>
std::vector<Record> records_of(std::span<const std::byte> bytes) {
  std::vector<Record> records(bytes.size() / sizeof(Record));
  if (!records.empty()) std::memcpy(records.data(), bytes.data(), records.size() * sizeof(Record));
  return records;
}

template <typename Records>
void append(Bytes& out, const Records& records) {
  const auto bytes = std::as_bytes(std::span(records));
  out.insert(out.end(), bytes.begin(), bytes.end());
}

}  // namespace

bool can_be_kept(const SourceFrame& frame) {
  const auto is_plain = [](const std::string& text) { return text.find('\0') == std::string::npos; };
  return is_plain(frame.function) && is_plain(frame.system_name) && is_plain(frame.file) && frame.line >= 0 &&
         frame.line <= UINT32_MAX && frame.start_line >= 0 && frame.start_line <= UINT32_MAX;
}

void LineTableWriter::begin_with(std::span<const std::byte> ranges, std::span<const std::byte> numbers,
                                 std::span<const std::byte> frames, std::span<const std::byte> texts) {
  ranges_ = records_of<LineTableRange>(ranges);
  numbers_ = records_of<uint32_t>(numbers);
  frames_ = records_of<LineTableFrame>(frames);
  texts_.assign(reinterpret_cast<const char*>(texts.data()), texts.size());
}

uint32_t LineTableWriter::text(const std::string& text) {
  const auto [found, is_new] = text_offsets_.try_emplace(text, static_cast<uint32_t>(texts_.size()));
  if (is_new) texts_.append(text).push_back('\0');
  return found->second;
}

uint32_t LineTableWriter::frame(const SourceFrame& frame) {
  const LineTableFrame made{text(frame.function), text(frame.system_name), text(frame.file),
                            static_cast<uint32_t>(frame.line), static_cast<uint32_t>(frame.start_line)};
  const auto [found, is_new] = frame_numbers_.try_emplace(made, static_cast<uint32_t>(frames_.size()));
  if (is_new) frames_.push_back(made);
  return found->second;
}

void LineTableWriter::add(const ResolvedRange& range) {
  ranges_.push_back({range.start, static_cast<uint32_t>(range.end - range.start), static_cast<uint32_t>(numbers_.size()),
                     static_cast<uint32_t>(range.frames.size())});
  for (const SourceFrame& source : range.frames) numbers_.push_back(frame(source));
}

Bytes LineTableWriter::finish() {
  // Of two that begin alike the one that was added last is found.
  std::stable_sort(ranges_.begin(), ranges_.end(),
                   [](const LineTableRange& a, const LineTableRange& b) { return a.start < b.start; });
  const LineTableHeader header{static_cast<uint32_t>(ranges_.size()), static_cast<uint32_t>(numbers_.size()),
                               static_cast<uint32_t>(frames_.size()), static_cast<uint32_t>(texts_.size())};
  Bytes out;
  append(out, std::span(&header, 1));
  append(out, ranges_);
  append(out, numbers_);
  append(out, frames_);
  append(out, texts_);
  return out;
}

}  // namespace atys::symbolize

// SPDX-License-Identifier: Apache-2.0
#include "symbolize/jit_map.h"

#include <algorithm>
#include <charconv>
#include <queue>

namespace atys::symbolize {

namespace {

constexpr size_t kMostEntries = size_t{8} << 20;
constexpr size_t kLongestName = 4096;

// A hexadecimal number and the space behind it.
bool take_number(std::string_view& line, uint64_t& number) {
  if (line.starts_with("0x") || line.starts_with("0X")) line.remove_prefix(2);
  const auto [end, problem] = std::from_chars(line.data(), line.data() + line.size(), number, 16);
  if (problem != std::errc() || end == line.data() + line.size() || *end != ' ') return false;
  line.remove_prefix(static_cast<size_t>(end - line.data()) + 1);
  return true;
}

}  // namespace

void JitMap::add_line(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  uint64_t start = 0;
  uint64_t size = 0;
  if (!take_number(line, start) || !take_number(line, size) || line.empty()) return;
  if (size == 0 || start + size < start || entries_.size() >= kMostEntries) return;
  // A zero byte ends the name: that is how they are kept.
  const std::string_view name = line.substr(0, std::min(line.find('\0'), kLongestName));
  if (name.empty()) return;
  entries_.push_back({start, start + size, static_cast<uint32_t>(names_.size())});
  names_.append(name);
  names_.push_back('\0');
}

// Goes through the addresses once, with the entries that are open there in a queue, the latest first.
void JitMap::flatten() {
  std::vector<uint32_t> by_start(entries_.size());
  for (uint32_t i = 0; i < by_start.size(); ++i) by_start[i] = i;
  std::sort(by_start.begin(), by_start.end(),
            [this](uint32_t a, uint32_t b) { return entries_[a].start < entries_[b].start; });
  const auto gap = static_cast<uint32_t>(entries_.size());
  std::priority_queue<uint32_t> open;
  size_t next = 0;
  uint64_t at = 0;
  while (next < by_start.size() || !open.empty()) {
    if (open.empty()) at = entries_[by_start[next]].start;
    while (next < by_start.size() && entries_[by_start[next]].start == at) open.push(by_start[next++]);
    if (segments_.empty() || segments_.back().entry != open.top()) segments_.push_back({at, open.top()});
    at = entries_[open.top()].end;
    if (next < by_start.size()) at = std::min(at, entries_[by_start[next]].start);
    while (!open.empty() && entries_[open.top()].end <= at) open.pop();
    if (open.empty()) segments_.push_back({at, gap});
  }
}

JitMap JitMap::parse(std::string_view text) {
  JitMap map;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    map.add_line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  map.flatten();
  return map;
}

std::optional<JitSymbol> JitMap::resolve(uint64_t address) const {
  const auto after = std::upper_bound(segments_.begin(), segments_.end(), address,
                                      [](uint64_t wanted, const Segment& segment) { return wanted < segment.start; });
  if (after == segments_.begin() || std::prev(after)->entry >= entries_.size()) return {};
  const Entry& entry = entries_[std::prev(after)->entry];
  return JitSymbol{std::string_view(names_.data() + entry.name), entry.start, entry.end - entry.start};
}

}  // namespace atys::symbolize

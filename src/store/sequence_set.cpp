// SPDX-License-Identifier: Apache-2.0
#include "store/sequence_set.h"

#include <algorithm>

#include "store/byte_codec.h"

namespace atys::store {

bool SequenceSet::contains(uint64_t sequence) const {
  const auto after = std::ranges::upper_bound(ranges_, sequence, {}, &Range::first);
  return after != ranges_.begin() && std::prev(after)->last >= sequence;
}

void SequenceSet::add(uint64_t first, uint64_t last) {
  if (first == 0 || last < first) return;
  // All ranges that touch the new one become part of it.
  auto begin = std::ranges::lower_bound(ranges_, first - 1, {}, &Range::last);
  auto end = begin;
  while (end != ranges_.end() && (last == UINT64_MAX || end->first <= last + 1)) {
    first = std::min(first, end->first);
    last = std::max(last, end->last);
    ++end;
  }
  begin = ranges_.erase(begin, end);
  ranges_.insert(begin, {first, last});
  if (ranges_.size() > kMaxRanges) ranges_.resize(kMaxRanges);
}

void SequenceSet::add(const SequenceSet& other) {
  for (const Range& range : other.ranges_) add(range.first, range.last);
}

std::string SequenceSet::encode() const {
  ByteWriter writer;
  uint64_t before = 0;
  for (const Range& range : ranges_) {
    writer.number(range.first - before);
    writer.number(range.last - range.first);
    before = range.last;
  }
  return writer.bytes();
}

SequenceSet SequenceSet::decode(std::string_view bytes) {
  SequenceSet set;
  ByteReader reader(bytes);
  uint64_t before = 0;
  while (reader.left() > 0 && set.ranges_.size() < kMaxRanges) {
    const uint64_t first = before + reader.number();
    const uint64_t last = first + reader.number();
    if (!reader.ok() || first < before || last < first) break;
    set.add(first, last);
    before = last;
  }
  return set;
}

}  // namespace atys::store

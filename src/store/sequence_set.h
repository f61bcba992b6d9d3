// SPDX-License-Identifier: Apache-2.0
// Which sequence numbers of a sender have arrived, as ranges. Most arrive in order, so that one range is all there is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace atys::store {

class SequenceSet {
 public:
  // A sender that counts in jumps must not fill memory; numbers of the highest ranges are forgotten beyond this. They are
  // told by their ids then, and count as not acknowledged.
  static constexpr size_t kMaxRanges = 1024;

  bool contains(uint64_t sequence) const;
  void add(uint64_t first, uint64_t last);
  void add(const SequenceSet& other);
  // 1 to this number are all there.
  uint64_t contiguous() const { return !ranges_.empty() && ranges_.front().first <= 1 ? ranges_.front().last : 0; }

  std::string encode() const;
  // Damaged bytes give a set with less in it: what it lacks is told by ids.
  static SequenceSet decode(std::string_view bytes);

 private:
  struct Range {
    uint64_t first = 0;
    uint64_t last = 0;
  };
  std::vector<Range> ranges_;  // sorted, apart by at least one number
};

}  // namespace atys::store

// SPDX-License-Identifier: Apache-2.0
// Every string of a profile, once. Bytes as they came: names from outside need not be valid UTF-8.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profile/hash_index.h"
#include "profile/ids.h"

namespace atys::profile {

class StringTable {
 public:
  StringTable() : ends_{0} {}  // id 0 is ""

  // The id of `text`, stored if new.
  StringId intern(std::string_view text);

  // Stores `text` without looking whether it is there: for readers of formats whose strings are unique already.
  StringId append(std::string_view text);

  // Valid until the next intern or append.
  std::string_view view(StringId id) const {
    const uint32_t i = raw(id);
    const uint64_t begin = i == 0 ? 0 : ends_[i - 1];
    return {bytes_.data() + begin, static_cast<size_t>(ends_[i] - begin)};
  }

  size_t size() const { return ends_.size(); }
  size_t text_bytes() const { return bytes_.size(); }
  void reserve(size_t strings, size_t bytes);
  size_t memory_bytes() const { return bytes_.capacity() + ends_.capacity() * sizeof(uint64_t) + index_.memory_bytes(); }

 private:
  void index_all();

  std::string bytes_;
  std::vector<uint64_t> ends_;
  HashIndex index_;
};

}  // namespace atys::profile

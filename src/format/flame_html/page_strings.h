// SPDX-License-Identifier: Apache-2.0
// The texts of a page, each once. Names are foreign and may be as long as they like, pages may not: a name longer than the
// bound ends in an ellipsis.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/json.h"
#include "profile/string_table.h"

namespace atys::format::flame_html {

class PageStrings {
 public:
  explicit PageStrings(size_t longest);

  uint32_t number_of(std::string_view text);
  size_t longest() const { return longest_; }
  void write(JsonWriter& json) const;  // an array

  // How long names may be where there are so many bytes of them.
  static size_t longest_for(size_t bytes);

 private:
  size_t longest_;
  profile::StringTable texts_;
};

// At most so many bytes, never inside a character.
std::string shortened(std::string_view text, size_t longest);

}  // namespace atys::format::flame_html

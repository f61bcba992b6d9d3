// SPDX-License-Identifier: Apache-2.0
#include "format/flame_html/page_strings.h"

#include "base/utf8.h"

namespace atys::format::flame_html {

using namespace profile;

namespace {

constexpr size_t kLongest = 4000;          // bytes of a name that anybody would read
constexpr size_t kShort = 300;             // … and that still tell most names apart
constexpr size_t kManyBytes = 24u << 20u;  // of all names together

}  // namespace

std::string shortened(std::string_view text, size_t longest) {
  std::string shown = printable(text.substr(0, longest + 4));
  if (shown.size() <= longest && text.size() <= longest) return shown;
  size_t end = std::min(longest, shown.size());
  while (end > 0 && end < shown.size() && (shown[end] & 0xc0) == 0x80) --end;
  return shown.substr(0, end) + "…";
}

PageStrings::PageStrings(size_t longest) : longest_(longest) { texts_.intern(""); }

uint32_t PageStrings::number_of(std::string_view text) { return raw(texts_.intern(shortened(text, longest_))); }

void PageStrings::write(JsonWriter& json) const {
  json.begin_array();
  for (uint32_t i = 0; i < texts_.size(); ++i) json.value(texts_.view(StringId{i}));
  json.end_array();
}

size_t PageStrings::longest_for(size_t bytes) { return bytes > kManyBytes ? kShort : kLongest; }

}  // namespace atys::format::flame_html

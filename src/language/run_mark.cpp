// SPDX-License-Identifier: Apache-2.0
#include "language/run_mark.h"

#include <algorithm>

namespace atys::language {

void cut_digits(std::string& name, const RunMark& mark) {
  static constexpr std::string_view kHex = "0123456789abcdefABCDEF";
  for (size_t at = name.find(mark.before); at != std::string::npos; at = name.find(mark.before, at + 1)) {
    const size_t begin = at + mark.before.size();
    const size_t end = std::min(name.find_first_not_of(kHex, begin), name.size());
    if (end - begin >= mark.least_digits) name.erase(begin, end - begin);
  }
}

}  // namespace atys::language

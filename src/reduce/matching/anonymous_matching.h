// SPDX-License-Identifier: Apache-2.0
// Functions without a name in one file, told by the lines where they begin: rule 2 of function_matching.h.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "reduce/anonymous.h"

namespace atys::reduce::matching {

struct AnonymousFunction {
  uint32_t id = 0;
  AnonymousName name;
};

class AnonymousMatcher {
 public:
  // Where a function with a name begins on both sides; 0: not known.
  void add_named(int64_t base_line, int64_t fresh_line);

  // Pairs of ids.
  std::vector<std::pair<uint32_t, uint32_t>> match(const std::vector<AnonymousFunction>& base,
                                                   const std::vector<AnonymousFunction>& fresh);

 private:
  std::vector<std::pair<int64_t, int64_t>> named_;
};

}  // namespace atys::reduce::matching

// SPDX-License-Identifier: Apache-2.0
// The values of two profiles on one flame tree, for a picture of what changed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "format/format.h"
#include "reduce/flame_change.h"
#include "reduce/flame_tree.h"

namespace atys::format::flame_svg {

struct ComparedTree {
  std::vector<int64_t> base_self, base_total, new_self, new_total;  // by node
  std::vector<double> widths;                                       // by node
  std::vector<int> levels;                                          // how much each node changed: reduce/flame_change.h
  bool is_absolute = false;
  bool is_chance_known = true;  // whether it is known how many samples the values rest on
};

// `inputs`: the profile and its base, which `tree` is of.
ComparedTree compare_on_tree(const reduce::FlameTree& tree, std::span<const reduce::FlameInput> inputs,
                             const Comparison& comparison);

}  // namespace atys::format::flame_svg

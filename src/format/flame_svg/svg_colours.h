// SPDX-License-Identifier: Apache-2.0
// Which colour a function has: the packages that cover most of the picture get a hue each, all others are grey. The hues are
// classes, so that the style sheet can have them light or dark.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reduce/flame_tree.h"

namespace atys::format::flame_svg {

// CSS class for each function of the tree: "c0" … "c9", or "cx" for grey.
std::vector<std::string_view> colour_classes(const reduce::FlameTree& tree, const std::vector<double>& widths);

// CSS class for how much something changed (reduce/flame_change.h): "u1" … "u4" for more, "d1" … "d4" for less, or "cx".
std::string_view change_class(int level);

// The style sheet of the picture, both schemes.
std::string_view style_sheet();

}  // namespace atys::format::flame_svg

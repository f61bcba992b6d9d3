// SPDX-License-Identifier: Apache-2.0
// A flame tree as a picture that any viewer of SVG shows: no script, no external resource. Root at the top, callees below,
// the largest first. With two profiles, colour says what changed.
#pragma once

#include <string>

#include "format/flame_svg/compared_tree.h"
#include "profile/profile.h"
#include "reduce/flame_tree.h"

namespace atys::format::flame_svg {

struct Picture {
  std::string title;
  std::string facts;                       // one line below the title
  std::string losses;                      // what is not in the picture; empty: nothing
  std::string unit;                        // of the values
  const ComparedTree* compared = nullptr;  // null: colour says where functions come from
};

std::string draw_svg(const reduce::FlameTree& tree, const Picture& picture);

}  // namespace atys::format::flame_svg

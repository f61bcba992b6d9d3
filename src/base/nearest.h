// SPDX-License-Identifier: Apache-2.0
// What somebody may have meant who wrote a name that there is not.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace atys {

// Those of `names` that are most like `wanted`, the best first, at most three.
std::vector<std::string> nearest_names(std::string_view wanted, const std::vector<std::string>& names);

// "did you mean a, b or c?", or `otherwise` where nothing is like it.
std::string did_you_mean(std::string_view wanted, const std::vector<std::string>& names, std::string otherwise);

}  // namespace atys

// SPDX-License-Identifier: Apache-2.0
// The scripts in completion/, as text.
#pragma once

#include <string_view>

namespace atys::cli {

extern const std::string_view kBashScript;
extern const std::string_view kZshScript;
extern const std::string_view kFishScript;

}  // namespace atys::cli

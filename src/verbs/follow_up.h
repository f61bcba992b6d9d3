// SPDX-License-Identifier: Apache-2.0
// Follow-up commands are pasted into shells: names from profiles are quoted so that they stay names.
#pragma once

#include <string>
#include <string_view>

namespace atys::verbs {

// For POSIX shells; plain words stay as they are.
std::string quote_for_shell(std::string_view text);

// So that a regular expression matches the text itself.
std::string escape_for_pattern(std::string_view text);

}  // namespace atys::verbs

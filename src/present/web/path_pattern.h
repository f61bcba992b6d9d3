// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace atys::present::web {

// The word that stands where the pattern of an address has its *: "the-task" for /api/v1/tasks/* and /api/v1/tasks/the-task.
// Empty where it has none; nothing: the path does not fit.
std::optional<std::string> match_path(std::string_view pattern, std::string_view path);

}  // namespace atys::present::web

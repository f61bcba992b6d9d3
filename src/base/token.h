// SPDX-License-Identifier: Apache-2.0
// Tokens: what a caller has to know to be let in.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace atys {

// 32 hexadecimal digits from the system's source of randomness.
Result<std::string> random_token();

// Takes the same time wherever two texts of the same length differ.
bool equal_in_constant_time(std::string_view a, std::string_view b);

// Whether a header `Authorization` is "Bearer TOKEN" with this token.
bool is_bearer(std::string_view authorization, std::string_view token);

}  // namespace atys

// SPDX-License-Identifier: Apache-2.0
// Tokens: what a caller has to know to be let in.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace atys {

// 32 hexadecimal digits from the system's source of randomness.
Result<std::string> random_token();

// Hexadecimal digits of its SHA-256: what is kept where the token itself need not be. Tokens are long and random, so that
// nobody finds one by trying.
std::string token_hash(std::string_view token);

}  // namespace atys

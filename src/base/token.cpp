// SPDX-License-Identifier: Apache-2.0
#include "base/token.h"

#include "base/hex.h"
#include "base/random.h"

namespace atys {

Result<std::string> random_token() { return to_hex(TRY(random_bytes(16))); }

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char difference = 0;
  for (size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

bool is_bearer(std::string_view authorization, std::string_view token) {
  constexpr std::string_view kBearer = "Bearer ";
  return authorization.starts_with(kBearer) && equal_in_constant_time(authorization.substr(kBearer.size()), token);
}

}  // namespace atys

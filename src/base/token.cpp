// SPDX-License-Identifier: Apache-2.0
#include "base/token.h"

#include <openssl/evp.h>

#include "base/hex.h"
#include "base/random.h"

namespace atys {

Result<std::string> random_token() { return to_hex(TRY(random_bytes(16))); }

std::string token_hash(std::string_view token) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  CHECK(EVP_Digest(token.data(), token.size(), digest, &size, EVP_sha256(), nullptr) == 1);
  return to_hex({reinterpret_cast<const char*>(digest), size});
}

}  // namespace atys

// SPDX-License-Identifier: Apache-2.0
#include "base/random.h"

#include <sys/random.h>

namespace atys {

Result<std::string> random_bytes(size_t count) {
  std::string bytes(count, '\0');
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(count))
    return fail_errno("cannot draw random bytes");
  return bytes;
}

bool fill_random(std::span<std::byte> bytes) {
  return ::getrandom(bytes.data(), bytes.size(), GRND_NONBLOCK) == static_cast<ssize_t>(bytes.size());
}

}  // namespace atys

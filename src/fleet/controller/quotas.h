// SPDX-License-Identifier: Apache-2.0
// How much each sender may bring in a minute, so that one that means no good, or is wrong, takes nothing from the others.
// What is too much is to be sent again later. Any thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/access.h"
#include "base/guarded.h"
#include "base/result.h"

namespace atys::fleet {

struct Quota {
  uint64_t windows_per_minute = 0;
  uint64_t bytes_per_minute = 0;
};
// As its scope says, or as is usual: for a node of its own some ten times what an agent sends that has much to do; a hundred
// times that for a token that many share. 0: no limit, for an admin.
Quota quota_of(const Identity& identity);

class Quotas {
 public:
  // Unavailable: it has had its share of this minute. What comes first in a minute is taken whatever its size, which is
  // bounded elsewhere.
  Result<> take_bytes(const Identity& identity, uint64_t bytes, uint64_t now_ns);
  Result<> take_windows(const Identity& identity, uint64_t windows, uint64_t now_ns);

 private:
  struct Taken {
    uint64_t minute = 0;
    uint64_t bytes = 0, windows = 0;
  };
  using Book = std::map<std::string, Taken>;
  static Taken& taken_by(Book& book, const Identity& identity, uint64_t now_ns);

  Guarded<Book> book_;
};

}  // namespace atys::fleet

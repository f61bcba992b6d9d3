// SPDX-License-Identifier: Apache-2.0
// What somebody has to do for a store that does not look after itself: sum up what is over, drop what is old, look after its
// files. A store that lives in a database which does all that has none of it, and nobody asks it to pretend.
//
// Every call may come from any thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/profile_store.h"

namespace atys::store {

struct RetentionPolicy {
  static constexpr int64_t kDay = 86'400'000'000'000;
  std::array<int64_t, kLevels> max_age_ns = {3 * kDay, 30 * kDay, 365 * kDay};  // by level; 0: no limit
  uint64_t max_bytes = 0;                                                       // on disk, in all; 0: no limit
};

struct Dropped {
  std::array<uint64_t, kLevels> blocks{};  // by level
  uint64_t windows = 0;                    // that are in no level any more
  uint64_t bytes = 0;                      // given back to the disk
  uint64_t files = 0;
  uint64_t by_size = 0;  // days that were dropped, or thinned, for want of room alone
};

struct Compacted {
  uint64_t windows = 0;  // put into segments
  uint64_t sums = 0;     // per minute and per hour, written
};

struct Health : Holdings {
  struct PerLevel {
    uint64_t blocks = 0;
    uint64_t bytes = 0;
  };
  std::array<PerLevel, kLevels> levels;
  uint64_t bytes = 0;  // on disk, dictionaries and indexes included
  uint64_t files = 0;
  uint64_t damaged = 0;               // blocks and files that were found damaged and set aside
  uint64_t unchecked_files = 0;       // of a version that has no checksums: damage may go unnoticed
  std::vector<std::string> problems;  // of an integrity check, where one was asked for
};

class StoreMaintenance {
 public:
  virtual ~StoreMaintenance() = default;

  // To be called about once a minute: sums up the minutes and hours that are over. No answer changes by it.
  virtual Result<Compacted> compact(int64_t now_ns) = 0;
  // Drops what is past its age, then the oldest until the rest fits.
  virtual Result<Dropped> retain(const RetentionPolicy& policy, int64_t now_ns) = 0;
  // How large it may become where nobody says: a share of what there is room for. 0: no limit.
  virtual uint64_t default_max_bytes() const = 0;
  virtual Result<Health> health(bool check_integrity = false) = 0;
};

}  // namespace atys::store

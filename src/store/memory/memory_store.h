// SPDX-License-Identifier: Apache-2.0
// A store that is gone with the process: for tests, and to try something without leaving anything behind. It looks after
// itself: what takes more than its bytes makes the oldest windows go.
#pragma once

#include <cstddef>
#include <memory>

#include "store/profile_store.h"

namespace atys::store {

inline constexpr size_t kUsualMemoryBytes = size_t{256} << 20;

std::unique_ptr<ProfileStore> make_memory_store(size_t most_bytes = kUsualMemoryBytes);

}  // namespace atys::store

// SPDX-License-Identifier: Apache-2.0
// Gives up detail of a day: first what is to be dropped is summed up, then it goes, and the file shrinks.
#pragma once

#include "store/embedded/day_file.h"
#include "store/store_maintenance.h"

namespace atys::store {

// Windows or Minutes, up to the hour that `before_ns` begins.
Result<> drop_level(DayFile& file, Level level, int64_t before_ns, Dropped& dropped);

// Up to when windows have to go to free so many bytes, `before_ns` at most; no earlier than they are kept from.
Result<int64_t> windows_to_free(DayFile& file, uint64_t bytes, int64_t before_ns);

Result<uint64_t> windows_in(DayFile& file);  // all that were ever stored there

}  // namespace atys::store

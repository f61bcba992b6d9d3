// SPDX-License-Identifier: Apache-2.0
// Windows into the file of their day: one transaction with their ids, their senders' marks and what they add to
// dictionaries.
#pragma once

#include <functional>
#include <span>

#include "store/embedded/day_file.h"
#include "store/sequence_set.h"

namespace atys::store {

// What other files know.
struct KnownElsewhere {
  std::function<Result<uint64_t>(const Id& sender)> marks;  // asked for when a sender first comes up in this one
  std::function<Result<bool>(const Id& id)> has_undated;
};

// All of one day, all checked. After an error nothing of them is there.
Result<Appended> append_to_day(DayFile& file, std::span<const Window* const> windows, const KnownElsewhere& elsewhere);

// Whether an undated window with this id was stored here.
Result<bool> has_undated(DayFile& file, const Id& id);

Result<SequenceSet> received_from(DayFile& file, const Id& sender);

}  // namespace atys::store

// SPDX-License-Identifier: Apache-2.0
// Windows into the file of their day: one transaction with their ids, their senders' marks and what they add to
// dictionaries.
#pragma once

#include <functional>
#include <span>

#include "store/embedded/day_file.h"
#include "store/embedded/sequence_set.h"

namespace atys::store {

// Whether any store could take the window.
Result<> check_window(const Window& window);

// What other files know of a sender: asked for when it first comes up in this one.
using KnownMarks = std::function<Result<uint64_t>(const Id& sender)>;

// All of one day, all checked. After an error nothing of them is there.
Result<Appended> append_to_day(DayFile& file, std::span<const Window* const> windows, const KnownMarks& known_marks);

Result<SequenceSet> received_from(DayFile& file, const Id& sender);

}  // namespace atys::store

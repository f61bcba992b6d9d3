// SPDX-License-Identifier: Apache-2.0
// OTLP has one value type a profile, so what we keep as columns of the same rows comes as several profiles. They belong
// together if they say the same of everything but the values, sample by sample. Reading joins them so; writing makes sure
// that what was apart will not be joined.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "format/otlp/message.h"

namespace atys::format::otlp {

// Runs of profiles that are columns of the same rows, as positions; `columns[i]` is the column of profile i.
std::vector<std::vector<size_t>> join_profiles(const std::vector<message::Profile>& profiles,
                                               std::span<const size_t> columns, const message::Dictionary& dictionary);

}  // namespace atys::format::otlp

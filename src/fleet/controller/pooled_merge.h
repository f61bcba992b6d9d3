// SPDX-License-Identifier: Apache-2.0
// Windows of a service as one profile. Those of one stretch of an adaptive rate are pooled (adapt/pooling.h), so a stable
// service has the accuracy of all its windows; all else is added up.
#pragma once

#include <utility>
#include <vector>

#include "store/profile_store.h"

namespace atys::fleet {

Result<store::Merged> pooled_merge(store::ProfileStore& store, const store::Selection& selection, store::Detail detail);

// Apart, by stretch and rate. What pooled_merge() is made of, and what a controller passes on.
using Stretches = std::vector<std::pair<store::Stretch, store::Merged>>;
Result<Stretches> merge_stretches(store::ProfileStore& store, const store::Selection& selection);

}  // namespace atys::fleet

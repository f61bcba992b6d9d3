// SPDX-License-Identifier: Apache-2.0
// Cuts stacks short where what lies deeper is of no interest. Values are kept: they move to the frame above the cut.
#pragma once

#include <string>

#include "base/result.h"
#include "profile/profile.h"

namespace atys::reduce {

// pprof's rule: a frame whose function matches `drop` in full goes, with all that it called; one that also matches `keep`
// stays. Frames at the root that match stay, up to the first that does not. Names are compared without their argument lists.
Result<Profile> prune_matching(const Profile& profile, const std::string& drop, const std::string& keep);

// As the profile itself asks in its header; unchanged if it does not.
Result<Profile> prune_as_asked(const Profile& profile);

// Frames of functions whose total share of the column is below `min_share` (0 to 1) are cut with all that they called, and
// one frame named "(pruned)" takes their place.
Profile prune_below(const Profile& profile, size_t column, double min_share);

}  // namespace atys::reduce

// SPDX-License-Identifier: Apache-2.0
// The samples of a window: the native ones, and those that runtimes recorded of themselves in the place of native ones of
// the same threads.
#pragma once

#include <vector>

#include "capture/accounts/true_sums.h"
#include "capture/native/profile_builder.h"
#include "capture/recording_plan.h"
#include "capture/self_recording/own_profiles.h"

namespace atys::capture {

// What runtimes were to record and did not is in the profile as loss. Sums are those that were counted.
void add_recorded_samples(const native::StackCollector& collector, native::CodeModules& modules,
                          const std::vector<OwnProfile>& own, const CountedTime& counted, const native::ValueNames& names,
                          const RecordingPlan& plan, Profile& profile);

}  // namespace atys::capture

// SPDX-License-Identifier: Apache-2.0
// Why a recording has no samples, and what to do: an empty answer is the one that helps least.
#pragma once

#include <string>

#include "capture/recording.h"

namespace atys::verbs {

std::string why_there_are_no_samples(const capture::RecordingPlan& plan, const capture::Recorded& recorded);

}  // namespace atys::verbs

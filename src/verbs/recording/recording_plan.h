// SPDX-License-Identifier: Apache-2.0
// From what a user asks to what is recorded. Only for verbs: it shows the capture layer.
#pragma once

#include "capture/recording_plan.h"
#include "verbs/capture.h"

namespace atys::verbs {

Result<capture::RecordingPlan> plan_of(const CaptureRequest& request);

}  // namespace atys::verbs

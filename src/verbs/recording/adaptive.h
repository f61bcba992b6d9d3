// SPDX-License-Identifier: Apache-2.0
// Runs a capture in passes: a cheap look first, then whatever reduce/next_pass.h asks for, until the answer would not change
// or the budget ends. Only for verbs: it shows the capture layer.
//
// All passes are one recording, whose rate changes; so a command runs once, and values stay true. Waits are a second
// recording of the same processes beside it. A command is never left before its end, since what it does later may be
// something else: it is watched at a low rate instead.
#pragma once

#include <vector>

#include "capture/recording.h"
#include "verbs/capture.h"

namespace atys::verbs {

struct AdaptiveRun {
  capture::Recorded recorded;
  LeftCommand command;
  std::vector<PlanStep> steps;
};

Result<AdaptiveRun> run_adaptive(const CaptureRequest& request, const capture::RecordingPlan& plan);

}  // namespace atys::verbs

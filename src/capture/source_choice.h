// SPDX-License-Identifier: Apache-2.0
// Picks the tier: the best that this machine permits, or the one that was asked for.
#pragma once

#include "capture/native/sample_source.h"
#include "capture/preload/shared_space.h"
#include "capture/recording_plan.h"
#include "capture/target/target_processes.h"

namespace atys::capture {

// What a command may be started with, should nothing better be permitted; null: it is no command, or it cannot be preloaded.
std::unique_ptr<preload::SharedSpace> space_for_command(const RecordingPlan& plan);

// `space`: what a command can be started with, null where it cannot. `notes` gets a line when a better tier did not work.
Result<std::unique_ptr<native::SampleSource>> choose_source(const RecordingPlan& plan, const TargetProcesses& target,
                                                            uint64_t period_ns, std::unique_ptr<preload::SharedSpace> space,
                                                            std::vector<std::string>& notes);

}  // namespace atys::capture

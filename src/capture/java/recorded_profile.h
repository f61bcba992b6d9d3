// SPDX-License-Identifier: Apache-2.0
// A recording of async-profiler as a profile of the kind that was asked for.
#pragma once

#include <sys/types.h>

#include "base/bytes.h"
#include "base/result.h"
#include "capture/recording_plan.h"
#include "profile/profile.h"

namespace atys::capture::java {

// `bytes` are chunks of a JFR file; none: nothing was recorded. The profile has the two value types of the kind. A sample
// stands for `interval_ns` where the recording itself does not say it.
Result<Profile> read_recorded(Bytes bytes, const Kind& kind, uint64_t interval_ns);

// Threads of a process in another pid namespace are labelled by the numbers that the process knows. Gives them those that we
// see; the number of a thread that has ended is taken away, its name stays.
void number_threads_as_we_do(Profile& profile, pid_t pid);

}  // namespace atys::capture::java

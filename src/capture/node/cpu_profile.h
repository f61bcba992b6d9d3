// SPDX-License-Identifier: Apache-2.0
// What V8's own profiler hands back (the .cpuprofile format: nodes, samples, timeDeltas, positionTicks) made into samples of
// a Profile. It comes from the process that is looked at, so nothing in it is believed.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/json.h"
#include "base/result.h"
#include "profile/kinds.h"
#include "profile/profile.h"

namespace atys::capture::node {

// The isolate that it is of.
struct V8Thread {
  pid_t pid = 0;
  pid_t tid = 0;
  std::string name;
};

inline constexpr std::string_view kJavaScriptKind = "v8js";

// An empty profile of that kind, with its value types.
Profile new_profile(const profile::KindRow& kind);

// Adds the samples to a profile that new_profile made. V8 counts time as a clock on the wall does: what the thread did not
// do while it was idle is left out of kind cpu, and is labelled state=idle in kind wall. V8 knows in which line a sample
// is, but not from which line it was called: callers have no line, only the one that they begin with.
Result<> add_cpu_profile(const Json& cpu_profile, const profile::KindRow& kind, const V8Thread& thread, Profile& profile);

}  // namespace atys::capture::node

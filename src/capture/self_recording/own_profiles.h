// SPDX-License-Identifier: Apache-2.0
// Puts what runtimes recorded themselves in the place of the native samples of the same threads.
#pragma once

#include <sys/types.h>

#include <map>
#include <string_view>
#include <vector>

#include "capture/accounts/thread_times.h"
#include "capture/native/stack_collector.h"
#include "capture/self_recording/own_weights.h"
#include "profile/profile.h"

namespace atys::capture {

struct OwnProfile {
  pid_t pid = 0;
  std::vector<pid_t> threads;    // that it covers; empty: all of the process
  bool is_only_source = false;   // of stacks: the native kernel counted the process's time and no more
  std::vector<pid_t> made = {};  // threads that are there only for it
  Profile profile;
  ProcessTimes times;  // of the time that it stands for
  // Of slots of the native kernel, what was counted before that time: it stays with them.
  std::map<size_t, native::SlotValue> before = {};
  ProcessTimes times_before = {};  // and of that

  bool covers(pid_t of, pid_t thread) const;
  bool has_samples(std::string_view weight_type) const;
};

// Adds the samples of `own` to `into` with these weights. What was lost is told also where there are no samples.
void add_own_profile(const OwnProfile& own, const OwnWeights& weights, const OwnColumns& columns, Profile& into);

// Puts what was handed over later to what the same process handed over before.
void add_own(std::vector<OwnProfile> later, std::vector<OwnProfile>& own);

}  // namespace atys::capture

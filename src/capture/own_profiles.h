// SPDX-License-Identifier: Apache-2.0
// Puts what runtimes recorded themselves in the place of the native samples of the same threads.
#pragma once

#include <sys/types.h>

#include <string_view>
#include <vector>

#include "profile/profile.h"

namespace atys::capture {

struct OwnProfile {
  pid_t pid = 0;
  std::vector<pid_t> threads;   // that it covers; empty: all of the process
  bool is_only_source = false;  // of stacks: the native kernel counted the process's time and no more
  Profile profile;

  bool covers(pid_t of, pid_t thread) const;
  bool has_samples(std::string_view weight_type) const;
};

// Names of value columns, the same in both profiles.
struct OwnColumns {
  std::string_view count = "samples";
  std::string_view weight = "cpu";
};

// Adds the samples of `own` to `into` such that their weights sum up to `native_weight`: what the native
// kernel counted is the truth about how much, if not about what. With no native weight (nothing was sampled, or it is of a
// kind that only the runtime knows) they keep their own. What was lost is told also where there are no samples.
void add_own_profile(const OwnProfile& own, int64_t native_weight, const OwnColumns& columns, Profile& into);

// Puts what was handed over later to what the same process handed over before.
void add_own(std::vector<OwnProfile> later, std::vector<OwnProfile>& own);

}  // namespace atys::capture

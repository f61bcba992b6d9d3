// SPDX-License-Identifier: Apache-2.0
// How much time the samples of a runtime stand for. A runtime says truly what its threads did, but how long is measured
// badly from inside: its sampler comes late on a busy machine, has begun before the recording did and goes on after it. The
// Linux kernel's account of the same threads says how long. Pure.
//
// Of every kind that is time, no thread has more than the time that was recorded.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

#include "capture/accounts/thread_times.h"
#include "profile/profile.h"

namespace atys::capture {

// Names of value columns, the same in a runtime's profile and in the recording's.
struct OwnColumns {
  std::string_view count = "samples";
  std::string_view weight = "cpu";
};

std::optional<size_t> column_of(const Profile& profile, std::string_view type);

inline constexpr pid_t kUnknownThread = 0;

// What the samples say themselves, by thread (the label thread.id).
struct OwnSum {
  int64_t samples = 0;
  int64_t weight = 0;
};
std::map<pid_t, OwnSum> sums_by_thread(const Profile& profile, const OwnColumns& columns);
pid_t thread_of(const Profile& profile, profile::LabelSetId labels);

// What they are to sum up to.
struct OwnWeights {
  std::map<pid_t, int64_t> threads;
  std::optional<int64_t> others;  // all other threads together; nothing: what they say themselves
  // Threads whose samples said more than can be, and what they said; nothing better is known of them than that bound.
  std::map<pid_t, int64_t> cut;
};

// `native`: what the native kernel counted of the same process in the same time, by thread.
OwnWeights weigh(const std::map<pid_t, OwnSum>& sums, std::string_view weight_type, const ProcessTimes& times,
                 const std::map<pid_t, int64_t>& native);

// What a thread has of that kind by its account; nothing: that is not known, or it is no time.
std::optional<int64_t> account_of(pid_t thread, std::string_view weight_type, const ProcessTimes& times);

}  // namespace atys::capture

// SPDX-License-Identifier: Apache-2.0
// How much work a profile stands for, so that profiles of different amounts of work compare.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "profile/profile.h"

namespace atys::verbs {

// "share": none, shares are compared. "run": each profile is one run. "request:N" or "request:N,M": so many requests in each
// profile of the base and of the new ones; any word will do in place of request. "cpu-second": CPU time recorded beside the
// value. "second": of the recording.
struct WorkUnit {
  enum class Kind { Share, Run, Counted, CpuSecond, Second };
  Kind kind = Kind::Share;
  std::string name = "share";  // of one unit: "run", "request" …
  double base_count = 1;       // of Counted
  double fresh_count = 1;

  static Result<WorkUnit> parse(std::string_view text);
  // In one profile; `count` is that of its side.
  Result<double> in(const Profile& profile, double count, const std::string& profile_name) const;
};

}  // namespace atys::verbs

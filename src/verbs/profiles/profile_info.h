// SPDX-License-Identifier: Apache-2.0
// What every answer says of the profile that it is about.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "verbs/profiles/profile_reference.h"

namespace atys::verbs {

struct LossInfo {
  std::string reason;
  uint64_t count = 0;
  bool is_in_samples = false;  // see profile/loss.h
};

struct ProfileInfo {
  std::string id;
  std::string name;
  std::string kind;  // the type of the value column looked at
  std::string unit;
  double samples = 0;            // whether that is known is told by the next
  double effective_samples = 0;  // what intervals rest on: fewer where samples weigh differently
  bool is_count_known = true;
  double total = 0;
  int64_t duration_ns = 0;
  std::vector<std::string> targets;
  std::vector<LossInfo> loss;
  double overhead_cpu_percent = 0;
  int64_t overhead_bytes = 0;
};

// The column that a user means by `value`: a type's name, "type/unit", a number, or empty for the profile's default.
Result<size_t> find_value_column(const Profile& profile, const std::string& value);

ProfileInfo describe(const LoadedProfile& loaded, size_t column);

}  // namespace atys::verbs

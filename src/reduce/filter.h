// SPDX-License-Identifier: Apache-2.0
// Keeps the samples that a question is about. Filtering and merging commute.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "profile/profile.h"

namespace atys::reduce {

struct LabelCondition {
  std::string key;
  std::string pattern;  // the whole value must match
};

// All conditions must hold. Regular expressions are RE2's, unanchored unless said otherwise.
struct FilterOptions {
  std::string focus = {};   // some function, file or module of the stack matches
  std::string ignore = {};  // none does
  std::string leaf = {};    // the innermost function, its file or its module does
  std::vector<LabelCondition> labels = {};
  // Unix time, half-open [from, to); samples without a time of their own are dropped if either is given.
  std::optional<int64_t> from_ns = {};
  std::optional<int64_t> to_ns = {};

  bool keeps_all() const { return focus.empty() && ignore.empty() && leaf.empty() && labels.empty() && !from_ns && !to_ns; }
};

// Fails for a bad regular expression.
Result<Profile> filter(const Profile& profile, const FilterOptions& options);

// The same where functions have another name, file or module beside the one that they go by: patterns may be of either.
// `otherwise_named` has the same samples in the same order.
Result<Profile> filter(const Profile& profile, const Profile& otherwise_named, const FilterOptions& options);

}  // namespace atys::reduce

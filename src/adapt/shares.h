// SPDX-License-Identifier: Apache-2.0
// Where the samples of a window were: how many in each function itself, and how many in it or what it called. What the
// decisions about rates are made of: small, bounded, and free of the profile that it came from.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "profile/profile.h"

namespace atys::adapt {

struct Shares {
  std::map<std::string, double> samples;  // by function, with its file where it has one
  double other = 0;                       // in functions too small to be told apart
  double total = 0;
  std::map<std::string, double> within;  // in the function or what it called, of the largest so
  double within_floor = 0;               // so many more may have been in each, and in those that are not named

  double share(const std::string& function) const;
};

// The `most` largest functions by name, the rest as one; twice as many with what they called. Counts are effective samples,
// so that windows whose samples have unequal weights are not trusted more than they deserve.
Shares shares_of(const Profile& profile, size_t column, size_t most = 64);

// Sums up; keeps the `most` largest functions apart.
void add(Shares& to, const Shares& from, size_t most = 64);

}  // namespace atys::adapt

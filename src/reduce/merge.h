// SPDX-License-Identifier: Apache-2.0
// Adds profiles up. Merge is associative and commutative, and the empty profile is its identity: fleets merge in whatever
// order reports arrive, and get the same answer.
//
// Rows with equal stack, labels and time become one row whose values are the sums. A value type that one side lacks counts
// zero there. Mappings that differ only in where the loader put them are one mapping, at the lowest of the addresses, and
// their frames move along: the same program run twice merges although its addresses were randomised.
// Header: earliest start, summed duration, the largest period; of texts that differ, the smaller in byte order; comments,
// provenance and attributes united; losses and overhead summed; the id kept only where both sides agree on it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "profile/profile.h"

namespace atys::reduce {

// For many profiles: holds the sum so far.
class Merger {
 public:
  Merger();
  ~Merger();
  Merger(Merger&&) noexcept;
  Merger& operator=(Merger&&) noexcept;

  void add(const Profile& profile);
  size_t samples() const;
  Profile finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

Profile merge(const Profile& a, const Profile& b);

// The id of the sum of two recordings; an empty one is the identity.
std::string add_ids(std::string_view a, std::string_view b);

}  // namespace atys::reduce

// SPDX-License-Identifier: Apache-2.0
// Random profiles full of what real ones seldom have: empty names, separators in names, invalid UTF-8, very deep stacks,
// huge and negative values, duplicate labels. For property tests.
#pragma once

#include <cstdint>
#include <vector>

#include "profile/profile.h"

namespace atys::test {

struct GeneratorOptions {
  size_t samples = 40;
  size_t value_types = 2;
  size_t deepest_stack = 12;
  bool times = true;
  bool odd_headers = true;  // comments, loss, provenance, attributes
};

// The same seed gives the same profile.
Profile generate_profile(uint64_t seed, const GeneratorOptions& options = {});

// A selection that covers the corners, 10,000-deep stacks and no samples at all included.
std::vector<Profile> generate_profiles(uint64_t seed);

}  // namespace atys::test

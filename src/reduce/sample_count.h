// SPDX-License-Identifier: Apache-2.0
// How many samples a column of values rests on, which is what every interval is made of. Values do not tell by themselves:
// nanoseconds, bytes and cycles are no samples. Told by the first of these that a profile has:
//
//   1. the column counts samples itself: samples/count, wall_samples/count; or things of which each was seen, as goroutines
//   2. another column counts them for the same rows, by its name or as the table of kinds says: of what a runtime allocates
//   or
//      waits for, each sample stands for as much as it is, and for a period at least
//   3. the period: a sample was taken every so many of the column's own unit, so a value stands for value ÷ period
//   4. a column that counts events of which each was recorded: waits, contentions, objects
//   5. each row has a time of its own: it is one sample
//
// Else it is not known. Collapsed stacks of nanoseconds are such, and profiles of a time without a period.
#pragma once

#include <cstddef>

#include "profile/profile.h"

namespace atys::reduce {

struct SampleCount {
  double samples = 0;  // not known: the rows, of which each was seen at least once
  // How many samples of equal weight the values are worth (Kish): (Σ v)² ÷ Σ (v² ÷ c), where c is how many samples a row
  // stands for. That is the number of samples where all weigh the same.
  double effective = 0;
  bool is_known = true;
};

SampleCount count_samples(const Profile& profile, size_t column);

inline double effective_samples(const Profile& profile, size_t column) { return count_samples(profile, column).effective; }

// The fact of provenance by which a reader says that the values of a type are numbers of samples although it is named after
// what was counted between them.
inline constexpr char kSamplesIn[] = "samples-in";

}  // namespace atys::reduce

// SPDX-License-Identifier: Apache-2.0
// How much a frame of a flame graph changed, in steps that can be told apart by colour.
#pragma once

#include <cstddef>

#include "profile/profile.h"

namespace atys::reduce {

// The whole of one of two profiles.
struct FlameWhole {
  double total = 0;
  double samples = 0;  // effective: see confidence.h; 0: not known, and then nothing is put down to chance
};

// What to put there: 0 where the profile does not tell how many samples its values rest on.
double samples_behind(const Profile& profile, size_t column);

// -4: gone; -3: at most half; -2: at most four fifths; -1: at least 5 % less; 0: about the same, or no more than chance
// explains; 1: at least 5 % more; 2: a quarter more; 3: at least twice; 4: new. Of values if `absolute`, else of shares.
inline constexpr int kMostChange = 4;
int change_level(double base, double fresh, const FlameWhole& of_base, const FlameWhole& of_fresh, bool absolute);

// Whether two values differ by more than sampling does in 19 of 20 cases. That is of one frame: of a whole picture of frames
// that did not change, one in twenty is called changed.
bool is_beyond_chance(double base, double fresh, const FlameWhole& of_base, const FlameWhole& of_fresh, bool absolute);

}  // namespace atys::reduce

// SPDX-License-Identifier: Apache-2.0
// Truth: one thread; descend() calls itself between 300 and 500 deep and works at the bottom, in deep_half() as long as in
// deep_other_half(). Nearly all of the time is below all of those frames.
//
//   recursion SECONDS
#include "truth.h"

static uint64_t units[2];
static uint64_t pieces;

ALONE uint64_t deep_half(uint64_t n) { return spin(n, 1); }
ALONE uint64_t deep_other_half(uint64_t n) { return spin(n, 2); }

ALONE uint64_t descend(uint64_t depth, Dice* dice) {
  if (depth > 0) {
    uint64_t below = descend(depth - 1, dice);
    keep(below);
    return below + depth;
  }
  for (int i = 0; i < 20; ++i, ++pieces) {
    uint64_t which = roll(dice, 2);
    uint64_t n = some_units(dice);
    keep(which ? deep_other_half(n) : deep_half(n));
    units[which] += n;
  }
  return 0;
}

int main(int argc, char** argv) {
  static const char* const names[] = {"deep_half", "deep_other_half"};
  Dice dice = {42};
  uint64_t end = wall_ns() + seconds_argument(argc, argv, 1);
  while (wall_ns() < end) {
    keep(descend(300 + roll(&dice, 200), &dice));
  }
  write_truth_of_units(pieces, 2, names, units);
  return 0;
}

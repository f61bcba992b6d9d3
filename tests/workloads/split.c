// SPDX-License-Identifier: Apache-2.0
// Truth: one thread; six of ten pieces of work are of sixty(), three of thirty(), one of ten(), and a piece costs the same
// in each. work() calls all three, main() calls work(). Built in many ways (build.py).
//
//   split SECONDS     (SIGTERM ends it early)
#include "truth.h"

static uint64_t units[3];
static uint64_t pieces;

ALONE uint64_t sixty(uint64_t n) { return spin(n, 60); }
ALONE uint64_t thirty(uint64_t n) { return spin(n, 30); }
ALONE uint64_t ten(uint64_t n) { return spin(n, 10); }

ALONE void work(Dice* dice) {
  uint64_t which = roll(dice, 10);
  uint64_t n = some_units(dice);
  if (which < 6) {
    keep(sixty(n));
  } else if (which < 9) {
    keep(thirty(n));
  } else {
    keep(ten(n));
  }
  units[which < 6 ? 0 : which < 9 ? 1 : 2] += n;
  ++pieces;
}

int main(int argc, char** argv) {
  static const char* const names[] = {"sixty", "thirty", "ten"};
  Dice dice = {42};
  uint64_t end = wall_ns() + seconds_argument(argc, argv, 1);
  signal(SIGTERM, on_told);
  while (wall_ns() < end && !told_to_end) {
    work(&dice);
  }
  write_truth_of_units(pieces, 3, names, units);
  return 0;
}

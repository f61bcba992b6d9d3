// SPDX-License-Identifier: Apache-2.0
// Truth: one thread that does one thing after another: two fifths of its time in first(), the rest in second(). Tells the
// wall time from its beginning to the change as well, as "change".
//
//   phases SECONDS
#include "truth.h"

ALONE uint64_t first(uint64_t n) { return spin(n, 1); }
ALONE uint64_t second(uint64_t n) { return spin(n, 2); }

int main(int argc, char** argv) {
  static const char* const names[] = {"first", "second", "change"};
  Dice dice = {42};
  uint64_t ns[3] = {0, 0, 0};
  uint64_t pieces = 0;
  uint64_t begin = wall_ns();
  uint64_t lasts = seconds_argument(argc, argv, 1);
  while (wall_ns() < begin + lasts * 2 / 5) {
    keep(first(some_units(&dice)));
    ++pieces;
  }
  ns[0] = thread_ns();
  ns[2] = wall_ns() - begin;
  while (wall_ns() < begin + lasts) {
    keep(second(some_units(&dice)));
    ++pieces;
  }
  ns[1] = thread_ns() - ns[0];
  write_truth(process_ns(), pieces, 3, names, ns);
  return 0;
}

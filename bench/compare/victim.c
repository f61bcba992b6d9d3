// SPDX-License-Identifier: Apache-2.0
// Work in four functions, 40, 30, 20 and 10 parts in a hundred, and as many parts more in one of them as is asked for.
//   victim PARTS_MS FUNCTION EXTRA_PERCENT      e.g. victim 250 2 5: 5 % more in all, in function 2
#include <stdio.h>
#include <stdlib.h>

static volatile unsigned long sink;

#define WORK(NAME, FACTOR)                                                          \
  __attribute__((noinline)) static void NAME(long steps) {                          \
    unsigned long x = FACTOR;                                                       \
    for (long i = 0; i < steps; i++) x = x * 6364136223846793005UL + (x >> 29) + 1; \
    sink += x;                                                                      \
  }

WORK(parse, 3)
WORK(lookup, 5)
WORK(render, 7)
WORK(log_line, 11)

int main(int argc, char** argv) {
  const long unit = argc > 1 ? atol(argv[1]) * 1000 : 250000;  // steps of one part
  const int function = argc > 2 ? atoi(argv[2]) : 0;
  const double extra = argc > 3 ? atof(argv[3]) : 0;
  void (*const all[])(long) = {parse, lookup, render, log_line};
  const int parts[] = {40, 30, 20, 10};
  for (int round = 0; round < 10; round++)
    for (int i = 0; i < 4; i++) all[i]((long)(unit * (parts[i] + (i == function ? extra : 0)) / 1000));
  printf("%d rounds\n", 10);
  return 0;
}

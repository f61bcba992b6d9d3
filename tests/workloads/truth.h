// SPDX-License-Identifier: Apache-2.0
// What every workload shares: loops of known cost, and the truth about the run. C that is C++ as well, so that each compiler
// under test can build it.
//
// A workload spends its time in named functions and knows how much each has done. At its end it writes that as JSON, to the
// file named by WORKLOAD_TRUTH or else to standard output:
//   {"total_ns": CPU time of all, "ns": {"function": nanoseconds…}, "work": how much was done}
// Languages without a clock of CPU time give "units" in place of "ns": iterations of loops that are the same.
//
// Loops that are the same need no clock around each piece, and have none: a thread that asks for its CPU time makes Linux
// look whether its turn is over. On a busy machine threads then lose the CPU there more than anywhere else, and whoever
// looks at them when they wait sees them there.
#pragma once
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ALONE __attribute__((noinline, noclone))
#define INTO_CALLER static inline __attribute__((always_inline))

INTO_CALLER uint64_t clock_ns(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

INTO_CALLER uint64_t wall_ns(void) { return clock_ns(CLOCK_MONOTONIC); }
INTO_CALLER uint64_t thread_ns(void) { return clock_ns(CLOCK_THREAD_CPUTIME_ID); }
INTO_CALLER uint64_t process_ns(void) { return clock_ns(CLOCK_PROCESS_CPUTIME_ID); }

// The same loop wherever it is used: a dependent chain that no compiler shortens. It is inlined, so the time is its caller's
// own.
INTO_CALLER uint64_t spin(uint64_t iterations, uint64_t x) {
  for (uint64_t i = 0; i < iterations; ++i) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    __asm__ volatile("" : "+r"(x));
  }
  return x;
}

// Keeps a call a call: without something after it, it would become a jump and its caller would vanish from the stack.
INTO_CALLER void keep(uint64_t x) { __asm__ volatile("" : : "r"(x) : "memory"); }

// Work comes in pieces of random length in random order, so that no sampling period is in step with it.
typedef struct Dice {
  uint64_t state;
} Dice;

INTO_CALLER uint64_t roll(Dice* dice, uint64_t below) {
  dice->state = dice->state * 6364136223846793005u + 1442695040888963407u;
  return (dice->state >> 33) % below;
}

enum { kUnit = 20000 };  // iterations: some 30 µs
enum { kMostNames = 8 };

INTO_CALLER uint64_t some_units(Dice* dice) { return kUnit / 2 + roll(dice, kUnit); }

// SIGTERM is a wish to come to the end and to tell the truth, for those who cannot say beforehand how long they will look.
__attribute__((unused)) static volatile sig_atomic_t told_to_end;
__attribute__((unused)) static void on_told(int number) {
  (void)number;
  told_to_end = 1;
}

INTO_CALLER FILE* truth_file(void) {
  const char* path = getenv("WORKLOAD_TRUTH");
  FILE* file = path ? fopen(path, "w") : stdout;
  if (!file) {
    perror(path);
    exit(3);
  }
  return file;
}

INTO_CALLER void write_truth(uint64_t total_ns, uint64_t work, int count, const char* const* names, const uint64_t* ns) {
  FILE* file = truth_file();
  fprintf(file, "{\"total_ns\": %llu, \"work\": %llu, \"ns\": {", (unsigned long long)total_ns, (unsigned long long)work);
  for (int i = 0; i < count; ++i) {
    fprintf(file, "%s\"%s\": %llu", i ? ", " : "", names[i], (unsigned long long)ns[i]);
  }
  fprintf(file, "}}\n");
  fflush(file);
  if (file != stdout) {
    fclose(file);
  }
}

// The same of functions that are all one loop: each has the share of the CPU time that it has of the iterations.
INTO_CALLER void write_truth_of_units(uint64_t work, int count, const char* const* names, const uint64_t* units) {
  uint64_t total = process_ns(), all = 0;
  uint64_t ns[kMostNames];
  for (int i = 0; i < count; ++i) {
    all += units[i];
  }
  for (int i = 0; i < count && i < kMostNames; ++i) {
    ns[i] = (uint64_t)((double)total * (double)units[i] / (double)(all ? all : 1));
  }
  write_truth(total, work, count, names, ns);
}

// How many iterations take so long here, by a try of some milliseconds.
INTO_CALLER uint64_t units_in(uint64_t length_ns) {
  enum { kTried = 100 * kUnit };
  uint64_t begin = thread_ns();
  keep(spin(kTried, 1));
  uint64_t took = thread_ns() - begin;
  return (uint64_t)((double)kTried * (double)length_ns / (double)(took ? took : 1));
}

INTO_CALLER uint64_t seconds_argument(int argc, char** argv, int index) {
  double seconds = argc > index ? atof(argv[index]) : 2;
  return (uint64_t)(seconds * 1e9);
}

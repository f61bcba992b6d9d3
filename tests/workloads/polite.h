// SPDX-License-Identifier: Apache-2.0
// What the programs share that print the same whoever looks at them: a table of things to do, each by its name.
#pragma once
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned sink;

static inline double cpu_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

// So long on a CPU that somebody who looks sees it.
static inline void compute(double seconds) {
  for (const double end = cpu_seconds() + seconds; cpu_seconds() < end;)
    for (unsigned i = 0; i < 20000; ++i) sink += i;
}

struct Deed {
  const char* name;
  void (*function)(void);
};

static inline int do_as_told(const struct Deed* deeds, size_t count, const char* name) {
  setvbuf(stdout, NULL, _IOLBF, 1 << 16);
  for (size_t i = 0; i < count; ++i) {
    if (name != NULL && strcmp(deeds[i].name, name) == 0) {
      deeds[i].function();
      return 0;
    }
  }
  for (size_t i = 0; name == NULL && i < count; ++i) puts(deeds[i].name);
  return name == NULL ? 0 : 2;
}

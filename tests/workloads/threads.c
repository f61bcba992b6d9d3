// SPDX-License-Identifier: Apache-2.0
// Truth: THREADS busy threads, each with the 60/30/10 split of split.c. With `late`, the threads start one after the other
// over the first half of the time, and each lives for a quarter of it: threads that come and go.
//
//   threads THREADS SECONDS [late]
#include <pthread.h>
#include <string.h>

#include "truth.h"

enum { kMaxThreads = 1024 };
static uint64_t begin_ns, length_ns, threads;
static int late;
static uint64_t units[3];
static uint64_t pieces;

ALONE uint64_t sixty(uint64_t n) { return spin(n, 60); }
ALONE uint64_t thirty(uint64_t n) { return spin(n, 30); }
ALONE uint64_t ten(uint64_t n) { return spin(n, 10); }

ALONE void thread_work(Dice* dice, uint64_t* mine) {
  uint64_t which = roll(dice, 10);
  uint64_t n = some_units(dice);
  if (which < 6) {
    keep(sixty(n));
  } else if (which < 9) {
    keep(thirty(n));
  } else {
    keep(ten(n));
  }
  mine[which < 6 ? 0 : which < 9 ? 1 : 2] += n;
}

static void* thread_main(void* argument) {
  uint64_t number = (uint64_t)(uintptr_t)argument;
  Dice dice = {number + 1};
  uint64_t mine[3] = {0, 0, 0};
  uint64_t done = 0;
  uint64_t end = late ? wall_ns() + length_ns / 4 : begin_ns + length_ns;
  for (; wall_ns() < end; ++done) {
    thread_work(&dice, mine);
  }
  for (int i = 0; i < 3; ++i) {
    __atomic_fetch_add(&units[i], mine[i], __ATOMIC_RELAXED);
  }
  __atomic_fetch_add(&pieces, done, __ATOMIC_RELAXED);
  return NULL;
}

static void sleep_until(uint64_t when) {
  struct timespec at = {(time_t)(when / 1000000000u), (long)(when % 1000000000u)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) != 0) {
  }
}

int main(int argc, char** argv) {
  static const char* const names[] = {"sixty", "thirty", "ten"};
  static pthread_t ids[kMaxThreads];
  threads = argc > 1 ? (uint64_t)atoi(argv[1]) : 200;
  threads = threads < kMaxThreads ? threads : kMaxThreads;
  length_ns = seconds_argument(argc, argv, 2);
  late = argc > 3 && strcmp(argv[3], "late") == 0;
  begin_ns = wall_ns();
  for (uint64_t i = 0; i < threads; ++i) {
    if (late) {
      sleep_until(begin_ns + length_ns / 2 * i / threads);
    }
    if (pthread_create(&ids[i], NULL, thread_main, (void*)(uintptr_t)i) != 0) {
      perror("pthread_create");
      return 3;
    }
  }
  for (uint64_t i = 0; i < threads; ++i) {
    pthread_join(ids[i], NULL);
  }
  write_truth_of_units(pieces, 3, names, units);
  return 0;
}

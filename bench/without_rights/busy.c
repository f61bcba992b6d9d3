// SPDX-License-Identifier: Apache-2.0
// A fixed amount of work in THREADS threads, in units of some 200 µs that each thread times by its own CPU clock:
//   busy UNITS THREADS
// The last line of standard output is JSON: what the work took, and by which part units are longer than the middle one of the
// fifty around them. What interrupts a thread stands out against its neighbours, however fast the machine is at the moment.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { AROUND = 50, STEPS = 90000 };

static long units;
static volatile uint64_t sink;

static int64_t now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1000000000ll + time.tv_nsec;
}

__attribute__((noinline)) static uint64_t mix(uint64_t x) {
  for (int i = 0; i < STEPS; ++i) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
  }
  return x;
}

static int by_size(const void* a, const void* b) {
  const int64_t one = *(const int64_t*)a, other = *(const int64_t*)b;
  return (one > other) - (one < other);
}

struct Part {
  pthread_t thread;
  double more, whole;
};

static void add_excess(struct Part* part, int64_t* lengths) {
  for (long first = 0; first + AROUND <= units; first += AROUND) {
    qsort(lengths + first, AROUND, sizeof *lengths, by_size);
    for (int i = 0; i < AROUND; ++i) part->more += (double)(lengths[first + i] - lengths[first + AROUND / 2]);
    part->whole += (double)lengths[first + AROUND / 2] * AROUND;
  }
}

__attribute__((noinline)) static void* run_part(void* argument) {
  struct Part* part = argument;
  int64_t* lengths = malloc((size_t)units * sizeof *lengths);
  if (lengths == NULL) abort();
  uint64_t x = 88172645463325252ull;
  int64_t begin = now(CLOCK_THREAD_CPUTIME_ID);
  for (long i = 0; i < units; ++i) {
    x = mix(x);
    const int64_t end = now(CLOCK_THREAD_CPUTIME_ID);
    lengths[i] = end - begin;
    begin = end;
  }
  sink = x;
  add_excess(part, lengths);
  free(lengths);
  return NULL;
}

int main(int count, char** words) {
  const int64_t began = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID);
  if (count != 3) return 2;
  const long threads = atol(words[2]);
  units = atol(words[1]);
  struct Part* parts = calloc((size_t)threads, sizeof *parts);
  if (parts == NULL || threads < 1) return 2;
  for (long i = 1; i < threads; ++i)
    if (pthread_create(&parts[i].thread, NULL, run_part, &parts[i]) != 0) return 1;
  run_part(&parts[0]);
  for (long i = 1; i < threads; ++i) pthread_join(parts[i].thread, NULL);
  double more = 0, whole = 0;
  for (long i = 0; i < threads; ++i) {
    more += parts[i].more;
    whole += parts[i].whole;
  }
  free(parts);
  printf("\n{\"began_ns\": %lld, \"wall_ns\": %lld, \"cpu_ns\": %lld, \"all_cpu_ns\": %lld, \"excess\": %.6f}\n", (long long)began,
         (long long)(now(CLOCK_MONOTONIC) - began), (long long)(now(CLOCK_PROCESS_CPUTIME_ID) - cpu),
         (long long)now(CLOCK_PROCESS_CPUTIME_ID), whole > 0 ? more / whole : 0);
  return 0;
}

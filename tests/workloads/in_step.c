/* SPDX-License-Identifier: Apache-2.0
 * A loop that takes exactly as long as samples of some rate are apart: in_step SECONDS NANOSECONDS. It is in `third` for a
 * third of each turn and in `rest` for the rest, by the clock, so that a sampler that comes at even distances sees one of
 * them only. It never waits. */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static uint64_t now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static volatile uint64_t sink;

__attribute__((noinline)) void third(uint64_t until) {
  while (now_ns() < until) sink++;
}

__attribute__((noinline)) void rest(uint64_t until) {
  while (now_ns() < until) sink += 2;
}

int main(int count, char** arguments) {
  if (count < 3) return 2;
  const uint64_t turn = strtoull(arguments[2], 0, 10);
  const uint64_t end = now_ns() + (uint64_t)(atof(arguments[1]) * 1e9);
  uint64_t at = now_ns() / turn * turn;
  while (at < end) {
    third(at + turn / 3);
    rest(at + turn);
    at += turn;
    const uint64_t now = now_ns();
    if (now > at + turn) at = now / turn * turn; /* the machine was busy with something else */
  }
  return 0;
}

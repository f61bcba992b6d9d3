// SPDX-License-Identifier: Apache-2.0
// Truth: two threads on one CPU hand a byte to and fro through pipes, as fast as the machine can: 100,000 context switches a
// second and more. `work` is the number of switches of the process as the kernel counted them, `ns` the time that ping()
// waited.
//
//   switcher SECONDS [WORK]     so many turns of a loop before each handing over: a program that also computes
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "truth.h"

static int there[2], back[2];

ALONE int pass(int in, int out) {
  char byte;
  if (read(in, &byte, 1) != 1) {
    return 0;
  }
  return write(out, &byte, 1) == 1;
}

static long turns;

ALONE int ping(void) {
  char byte = 'x';
  for (volatile long i = 0; i < turns; ++i) {
  }
  return write(there[1], &byte, 1) == 1 && read(back[0], &byte, 1) == 1;
}

static void* pong(void* unused) {
  (void)unused;
  while (pass(there[0], back[1])) {
  }
  return NULL;
}

int main(int argc, char** argv) {
  static const char* const names[] = {"ping"};
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  sched_setaffinity(0, sizeof one, &one);
  pthread_t other;
  if (pipe(there) != 0 || pipe(back) != 0 || pthread_create(&other, NULL, pong, NULL) != 0) {
    return 3;
  }
  turns = argc > 2 ? atol(argv[2]) : 0;
  uint64_t begin = wall_ns();
  uint64_t cpu = thread_ns();
  uint64_t end = begin + seconds_argument(argc, argv, 1);
  while (wall_ns() < end && ping()) {
  }
  uint64_t waited = wall_ns() - begin - (thread_ns() - cpu);
  close(there[1]);
  pthread_join(other, NULL);
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  write_truth(process_ns(), (uint64_t)(used.ru_nvcsw + used.ru_nivcsw), 1, names, &waited);
  return 0;
}

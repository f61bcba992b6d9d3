// SPDX-License-Identifier: Apache-2.0
// Truth: one thread waits, in four ways, each in a function of its own: nap() sleeps, wait_for_lock() wants a mutex that
// another thread holds, read_pipe() waits for a byte, sync_file() has a file written to disk. Each wait is measured by the
// clock around it, less the CPU time inside: that is the time off the CPU. The helpers' own waits are below helper_*.
//
//   off_cpu SECONDS [FOLDER-FOR-THE-FILE]
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "truth.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t held;
static int ends[2];
static int file = -1;
static volatile int over;

ALONE void pause_ms(long ms) {
  struct timespec left = {0, ms * 1000000};
  while (nanosleep(&left, &left) != 0) {
  }
}

ALONE void nap(void) { pause_ms(6), keep(1); }

ALONE void wait_for_lock(void) {
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  keep(1);
}

ALONE void read_pipe(void) {
  char byte;
  if (read(ends[0], &byte, 1) != 1) {
    abort();
  }
  keep(1);
}

ALONE void sync_file(void) {
  static char block[65536];
  memset(block, (int)(wall_ns() & 0xff), sizeof block);
  if (pwrite(file, block, sizeof block, 0) != (ssize_t)sizeof block || fsync(file) != 0) {
    abort();
  }
  keep(1);
}

ALONE void helper_holds(void) {
  pthread_mutex_lock(&lock);
  pthread_barrier_wait(&held);
  pause_ms(8);
  pthread_mutex_unlock(&lock);
}

ALONE void helper_writes(void) {
  pause_ms(4);
  if (write(ends[1], "x", 1) != 1) {
    abort();
  }
}

static void* helper(void* unused) {
  (void)unused;
  for (;;) {
    pthread_barrier_wait(&held);
    if (over) {
      return NULL;
    }
    helper_holds();
    helper_writes();
  }
}

static void timed(void (*wait)(void), uint64_t* sum) {
  uint64_t begin = wall_ns();
  uint64_t cpu = thread_ns();
  wait();
  *sum += wall_ns() - begin - (thread_ns() - cpu);
}

int main(int argc, char** argv) {
  static const char* const names[] = {"nap", "wait_for_lock", "read_pipe", "sync_file"};
  uint64_t ns[4] = {0, 0, 0, 0};
  char path[4096];
  snprintf(path, sizeof path, "%s/atys-workload-XXXXXX", argc > 2 ? argv[2] : "/var/tmp");  // /tmp may be memory
  file = mkstemp(path);
  if (file < 0 || pipe(ends) != 0) {
    perror(path);
    return 3;
  }
  unlink(path);
  pthread_barrier_init(&held, NULL, 2);
  pthread_t other;
  pthread_create(&other, NULL, helper, NULL);
  uint64_t end = wall_ns() + seconds_argument(argc, argv, 1);
  uint64_t rounds = 0;
  for (; wall_ns() < end; ++rounds) {
    pthread_barrier_wait(&held);  // a new round
    pthread_barrier_wait(&held);  // the helper has the lock
    timed(wait_for_lock, &ns[1]);
    timed(read_pipe, &ns[2]);
    timed(nap, &ns[0]);
    timed(sync_file, &ns[3]);
  }
  over = 1;
  pthread_barrier_wait(&held);
  pthread_join(other, NULL);
  write_truth(process_ns(), rounds, 4, names, ns);
  return 0;
}

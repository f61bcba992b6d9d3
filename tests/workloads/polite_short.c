// SPDX-License-Identifier: Apache-2.0
// A program of some milliseconds that does a little of everything that could go wrong while somebody looks, and says how it went.
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "polite.h"

extern char** environ;
static volatile sig_atomic_t came;
static sigjmp_buf back;
static void on_signal(int number) {
  came = came + 1;
  if (number == SIGUSR2) siglongjmp(back, 1);
}

static void* in_thread(void* unused) {
  for (int i = 0; i < 50; ++i) free(malloc((size_t)i * 300));
  compute(0.0005);
  return unused;
}

static int child_ends_with(int number) {
  const pid_t child = fork();
  if (child == 0) {
    free(malloc(1000));
    _exit(number);
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == number;
}

int main(int count, char** words) {
  // Each that went wrong has a bit.
  if (count > 1) return 3;
  int wrong = 0;
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, in_thread, NULL);
  signal(SIGUSR1, on_signal);
  struct sigaction action = {.sa_handler = on_signal}, now;
  sigaction(SIGUSR2, &action, NULL);
  sigaction(SIGURG, &action, NULL);
  raise(SIGUSR1);
  raise(SIGURG);
  if (sigsetjmp(back, 1) == 0) raise(SIGUSR2);
  wrong |= 1 * (came != 3);
  wrong |= 128 * ( sigaction(SIGURG, NULL, &now) != 0 || now.sa_handler != on_signal);
  wrong |= 2 * (!child_ends_with(7));
  struct pollfd none = {-1, POLLIN, 0};
  wrong |= 4 * (poll(&none, 1, 1) != 0);
  wrong |= 8 * (nanosleep(&(struct timespec){0, 100000}, NULL) != 0);
  pid_t child = 0;
  int status = 0;
  wrong |= 16 * (posix_spawn(&child, "/proc/self/exe", NULL, NULL, (char* const[]){words[0], "again", NULL}, environ) != 0);
  wrong |= 32 * (waitpid(child, &status, 0) != child || status != 3 << 8);
  wrong |= 64 * (getenv("LD_PRELOAD") != NULL || getenv("ATYS_SHARED_MEMORY") != NULL);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  printf("%d wrong\n", wrong);
  return wrong;
}

// SPDX-License-Identifier: Apache-2.0
// Truth: a parent, its child and its grandchild. Half of the CPU time is parent_work(), three tenths
// child_work(), two tenths grandchild_work(). They add their times to memory that they share.
//
//   forks SECONDS
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "truth.h"

typedef struct Sums {
  uint64_t ns[3];
  uint64_t done;
} Sums;

ALONE uint64_t parent_work(uint64_t n) { return spin(n, 1); }
ALONE uint64_t child_work(uint64_t n) { return spin(n, 2); }
ALONE uint64_t grandchild_work(uint64_t n) { return spin(n, 3); }

static void work_for(uint64_t length_ns, int who, Sums* sums) {
  Dice dice = {(uint64_t)who + 1};
  uint64_t begin = thread_ns();
  uint64_t wanted = units_in(length_ns);
  for (uint64_t done = 0, n; done < wanted; done += n) {
    n = some_units(&dice);
    keep(who == 0 ? parent_work(n) : who == 1 ? child_work(n) : grandchild_work(n));
  }
  sums->ns[who] = thread_ns() - begin;
  __atomic_fetch_add(&sums->done, 1, __ATOMIC_RELEASE);
}

int main(int argc, char** argv) {
  static const char* const names[] = {"parent_work", "child_work", "grandchild_work"};
  uint64_t length = seconds_argument(argc, argv, 1);
  Sums* sums = (Sums*)mmap(NULL, sizeof(Sums), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (sums == MAP_FAILED) {
    return 3;
  }
  pid_t child = fork();
  if (child == 0) {
    if (fork() == 0) {
      work_for(length / 10 * 2, 2, sums);
      _exit(0);
    }
    work_for(length / 10 * 3, 1, sums);
    _exit(0);
  }
  work_for(length / 10 * 5, 0, sums);
  waitpid(child, NULL, 0);
  while (__atomic_load_n(&sums->done, __ATOMIC_ACQUIRE) < 3) {
    usleep(1000);
  }
  write_truth(sums->ns[0] + sums->ns[1] + sums->ns[2], 3, 3, names, sums->ns);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Truth: 5,000 processes a minute, each exec'd anew, each some 3 ms of work: three quarters in short_most(), a quarter in
// short_rest(). The children add their times to a file in memory that all of them share. What starting them costs is in
// total_ns.
//
//   churn SECONDS
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "truth.h"

enum { kPerMinute = 5000 };
typedef struct Sums {
  uint64_t ns[2];
  uint64_t pieces;
} Sums;

ALONE uint64_t short_most(uint64_t n) { return spin(n, 3); }
ALONE uint64_t short_rest(uint64_t n) { return spin(n, 1); }

static Sums* map_sums(int fd) {
  void* sums = mmap(NULL, sizeof(Sums), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (sums == MAP_FAILED) {
    perror("mmap");
    exit(3);
  }
  return (Sums*)sums;
}

static int child(int fd) {
  Sums* sums = map_sums(fd);
  Dice dice = {(uint64_t)getpid()};
  uint64_t units[2] = {0, 0};
  uint64_t begin = thread_ns();
  for (int i = 0; i < 100; ++i) {
    uint64_t rest = roll(&dice, 4) == 0;
    uint64_t n = some_units(&dice);
    keep(rest ? short_rest(n) : short_most(n));
    units[rest] += n;
  }
  uint64_t took = thread_ns() - begin;
  for (int i = 0; i < 2; ++i) {
    __atomic_fetch_add(&sums->ns[i], took * units[i] / (units[0] + units[1]), __ATOMIC_RELAXED);
  }
  __atomic_fetch_add(&sums->pieces, 1, __ATOMIC_RELAXED);
  return 0;
}

static void start(int fd) {
  char number[16];
  snprintf(number, sizeof number, "%d", fd);
  pid_t pid = fork();
  if (pid == 0) {
    execl("/proc/self/exe", "churn", "child", number, (char*)NULL);
    _exit(3);
  }
}

int main(int argc, char** argv) {
  static const char* const names[] = {"short_most", "short_rest"};
  if (argc > 2 && strcmp(argv[1], "child") == 0) {
    return child(atoi(argv[2]));
  }
  int fd = memfd_create("churn", 0);
  if (fd < 0 || ftruncate(fd, sizeof(Sums)) != 0) {
    perror("memfd_create");
    return 3;
  }
  Sums* sums = map_sums(fd);
  uint64_t begin = wall_ns();
  uint64_t length = seconds_argument(argc, argv, 1);
  for (uint64_t started = 0; wall_ns() - begin < length; ++started) {
    start(fd);
    uint64_t next = begin + (started + 1) * (60000000000u / kPerMinute);
    uint64_t now = wall_ns();
    if (next > now) {
      struct timespec pause = {0, (long)(next - now)};
      nanosleep(&pause, NULL);
    }
    while (waitpid(-1, NULL, WNOHANG) > 0) {
    }
  }
  while (wait(NULL) > 0) {
  }
  struct rusage used;
  getrusage(RUSAGE_CHILDREN, &used);
  uint64_t total = process_ns() + (uint64_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000000u +
                   (uint64_t)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1000u;
  write_truth(total, sums->pieces, 2, names, sums->ns);
  return 0;
}

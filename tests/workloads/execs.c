// SPDX-License-Identifier: Apache-2.0
// Truth: one process that becomes another program midway. The first works in before_exec(), the second (built of the same
// file with SECOND, so its addresses are alike) in after_exec(); three fifths of the time are the first's.
//
//   execs SECONDS     (the second program lies beside it as execs_second)
#include <libgen.h>
#include <limits.h>
#include <unistd.h>

#include "truth.h"

#ifdef SECOND
ALONE uint64_t after_exec(uint64_t n) { return spin(n, 2); }
#define WORK after_exec
#else
ALONE uint64_t before_exec(uint64_t n) { return spin(n, 1); }
#define WORK before_exec
#endif

// What is worked is counted in time on the CPU, so that the shares are as said on a busy machine too.
static uint64_t work_for(uint64_t length_ns) {
  Dice dice = {42};
  uint64_t wanted = units_in(length_ns);
  uint64_t begin = thread_ns();
  for (uint64_t done = 0, n; done < wanted; done += n) {
    n = some_units(&dice);
    keep(WORK(n));
  }
  return thread_ns() - begin;
}

int main(int argc, char** argv) {
#ifdef SECOND
  static const char* const names[] = {"before_exec", "after_exec"};
  uint64_t ns[2] = {argc > 2 ? strtoull(argv[2], NULL, 10) : 0, 0};
  ns[1] = work_for(seconds_argument(argc, argv, 1) / 5 * 2);
  write_truth(process_ns(), 2, 2, names, ns);
  return 0;
#else
  char path[PATH_MAX] = {0};
  char done[32];
  if (argc < 2 || readlink("/proc/self/exe", path, sizeof path - 20) < 0) {
    return 3;
  }
  snprintf(done, sizeof done, "%llu", (unsigned long long)work_for(seconds_argument(argc, argv, 1) / 5 * 3));
  char* end = path;
  while (*end) {
    ++end;
  }
  snprintf(end, 20, "_second");
  execl(path, "execs_second", argv[1], done, (char*)NULL);
  perror(path);
  return 3;
#endif
}

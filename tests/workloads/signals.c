// SPDX-License-Identifier: Apache-2.0
// Truth: a timer interrupts outside() every 2 ms of CPU time, and its handler works in in_handler() for about a quarter of
// the time. A stack that is in the handler goes on below it, through the signal frame, to outside() and main().
//
//   signals SECONDS
#include <signal.h>
#include <sys/time.h>

#include "truth.h"

static volatile uint64_t handler_units, handled;

ALONE uint64_t in_handler(uint64_t n) { return spin(n, 1); }
ALONE uint64_t outside(uint64_t n) { return spin(n, 2); }

static void on_timer(int signal) {
  (void)signal;
  keep(in_handler(kUnit * 15));
  handler_units += kUnit * 15;
  handled += 1;
}

int main(int argc, char** argv) {
  static const char* const names[] = {"in_handler"};
  struct sigaction action = {0};
  action.sa_handler = on_timer;
  action.sa_flags = SA_RESTART;
  sigaction(SIGPROF, &action, NULL);
  struct itimerval every = {{0, 2000}, {0, 2000}};
  setitimer(ITIMER_PROF, &every, NULL);
  Dice dice = {42};
  uint64_t outside_units = 0;
  uint64_t end = wall_ns() + seconds_argument(argc, argv, 1);
  while (wall_ns() < end) {
    uint64_t n = some_units(&dice);
    keep(outside(n));
    outside_units += n;
  }
  struct itimerval never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_PROF, &never, NULL);
  uint64_t total = process_ns();
  uint64_t ns = (uint64_t)((double)total * (double)handler_units / (double)(handler_units + outside_units));
  write_truth(total, handled, 1, names, &ns);
  return 0;
}

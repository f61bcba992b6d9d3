// SPDX-License-Identifier: Apache-2.0
// Programs with signals of their own. Each prints the same whoever looks at it, or what went wrong.
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "polite.h"

static volatile sig_atomic_t came, last;
static void on_signal(int number) {
  came = came + 1;
  last = number;
}

static int is_installed(int number, void (*handler)(int)) {
  struct sigaction now;
  return sigaction(number, NULL, &now) == 0 && now.sa_handler == handler;
}

static void install(int number, void (*handler)(int), int flags) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
  if (sigaction(number, &action, NULL) != 0) perror("sigaction");
}

static void own_profiler(void) {
  install(SIGPROF, on_signal, SA_RESTART);
  const struct itimerval each = {{0, 10000}, {0, 10000}};
  setitimer(ITIMER_PROF, &each, NULL);
  compute(0.5);
  const struct itimerval none = {{0, 0}, {0, 0}};
  setitimer(ITIMER_PROF, &none, NULL);
  // The kernel counts whole ticks: of a thread that mostly runs between two of them, few.
  printf("%s, %s\n", came > 0 && came < 200 ? "as often as it should" : "not as often as it should",
         is_installed(SIGPROF, on_signal) ? "still there" : "replaced");
}

static void raise_some(int number) {
  for (int i = 0; i < 20; ++i) {
    raise(number);
    compute(0.01);
  }
}

static void urgent_sigaction(void) {
  struct sigaction before;
  sigaction(SIGURG, NULL, &before);
  printf("before: %d\n", before.sa_handler == SIG_DFL);
  compute(0.1);
  install(SIGURG, on_signal, 0);
  raise_some(SIGURG);
  printf("%d came, the last %d, handler %d\n", came, last, is_installed(SIGURG, on_signal));
  install(SIGURG, SIG_DFL, 0);
  compute(0.1);
  printf("default %d\n", is_installed(SIGURG, SIG_DFL));
}

static void urgent_signal(void) {
  printf("before: %d\n", signal(SIGURG, SIG_IGN) == SIG_DFL);
  printf("ignored: %d\n", is_installed(SIGURG, SIG_IGN));
  compute(0.1);
  printf("was ignored: %d\n", signal(SIGURG, on_signal) == SIG_IGN);
  raise_some(SIGURG);
  printf("%d came, the last %d\n", came, last);
  printf("was ours: %d\n", signal(SIGURG, SIG_DFL) == on_signal);
  compute(0.1);
}

static void every_signal(void) {
  for (int number = 1; number <= 64; ++number)
    if (number != SIGKILL && number != SIGSTOP && (number < 32 || number >= SIGRTMIN)) install(number, on_signal, SA_RESTART);
  int wrong = 0;
  for (int number = 1; number <= 64; ++number) {
    if (number == SIGKILL || number == SIGSTOP || (number >= 32 && number < SIGRTMIN)) continue;
    const int before = came;
    raise(number);
    if (came != before + 1 || last != number || !is_installed(number, on_signal)) ++wrong;
    compute(0.005);
  }
  printf("%d wrong\n", wrong);
}

static void real_time(void) {
  for (int number = SIGRTMIN; number <= SIGRTMAX; ++number) install(number, on_signal, SA_RESTART);
  compute(0.05);
  for (int number = SIGRTMIN; number <= SIGRTMAX; ++number)
    for (int i = 0; i < 3; ++i) sigqueue(getpid(), number, (union sigval){.sival_int = i});
  compute(0.2);
  printf("%d of %d came\n", came, 3 * (SIGRTMAX - SIGRTMIN + 1));
}

static atomic_int taken;

static void* wait_for_signals(void* unused) {
  sigset_t all;
  sigfillset(&all);
  while (taken < 30) {
    int number = 0;
    if (sigwait(&all, &number) != 0) printf("sigwait failed\n");
    printf("got %d\n", number);
    ++taken;
  }
  return unused;
}

static void waiting_thread(void) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, wait_for_signals, NULL);
  static const int numbers[] = {SIGUSR1, SIGTERM, 40};
  for (int i = 0; i < 30; ++i) {
    kill(getpid(), numbers[i % 3]);
    compute(0.01);
    while (taken <= i) usleep(1000);  // of two that wait the lower comes first, however busy the machine is
  }
  pthread_join(thread, NULL);
}

// Who names it means it.
static void waits_for_urgent(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGURG);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  compute(0.1);
  kill(getpid(), SIGURG);
  compute(0.05);
  int number = 0;
  const struct timespec patience = {5, 0};
  number = sigtimedwait(&set, NULL, &patience);
  printf("got %d\n", number);
  const int fd = signalfd(-1, &set, SFD_NONBLOCK);
  kill(getpid(), SIGURG);
  compute(0.05);
  struct signalfd_siginfo info;
  const ssize_t got = read(fd, &info, sizeof info);
  printf("read %zd of %u\n", got, got > 0 ? info.ssi_signo : 0);
}

// What a program has blocked it finds blocked.
static void mask_is_kept(void) {
  sigset_t all, now;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, NULL);
  compute(0.1);
  pthread_sigmask(SIG_SETMASK, NULL, &now);
  for (int number = 1; number <= 64; ++number)
    if (number != SIGKILL && number != SIGSTOP && (number < 32 || number >= SIGRTMIN) && !sigismember(&now, number))
      printf("%d is not blocked\n", number);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, &now);
  for (int number = 1; number <= 64; ++number)
    if (number != SIGKILL && number != SIGSTOP && (number < 32 || number >= SIGRTMIN) && !sigismember(&now, number))
      printf("%d was not blocked\n", number);
  sigprocmask(SIG_SETMASK, NULL, &now);
  for (int number = 1; number <= 64; ++number)
    if (sigismember(&now, number) == 1) printf("%d is blocked\n", number);
  puts("looked");
}

static sigjmp_buf back;
static void on_alarm(int number) {
  (void)number;
  siglongjmp(back, 1);
}
static void jumps_out(void) {
  install(SIGALRM, on_alarm, 0);
  int jumps = 0;
  for (int i = 0; i < 200; ++i) {
    const struct itimerval once = {{0, 0}, {0, 1500}};
    if (sigsetjmp(back, 1) == 0) {
      setitimer(ITIMER_REAL, &once, NULL);
      for (;;) ++sink;
    }
    ++jumps;
  }
  printf("%d jumps\n", jumps);
}

static char alternate[65536];
static int is_on_alternate(void) {
  char here;
  return &here >= alternate && &here < alternate + sizeof alternate;
}
static int on_it;
static void on_alternate(int number) {
  (void)number;
  on_it += is_on_alternate();
  compute(0.01);
}
static void alternate_stack(void) {
  const stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};
  stack_t before, after;
  sigaltstack(&stack, &before);
  install(SIGUSR1, on_alternate, SA_ONSTACK);
  for (int i = 0; i < 20; ++i) {
    raise(SIGUSR1);
    compute(0.005);
  }
  sigaltstack(NULL, &after);
  printf("none before %d, ours after %d, on it %d times\n", before.ss_flags == SS_DISABLE, after.ss_sp == (void*)alternate, on_it);
}

// One that may do nothing but read, write and end: it is killed for anything else.
static void strict(void) {
  fflush(stdout);
  if (prctl(PR_SET_SECCOMP, 1) != 0) return (void)puts("no strict mode here");
  for (unsigned i = 0; i < 400000000u; ++i) sink += i;
  static const char kWords[] = "alive\n";
  if (write(1, kWords, sizeof kWords - 1) < 0) syscall(SYS_exit, 1);
  syscall(SYS_exit, 0);
}

static void children_in_strict_mode(void) {
  const pid_t child = fork();
  if (child == 0) strict();
  int status = 0;
  waitpid(child, &status, 0);
  printf("status %d\n", status);
}

int main(int count, char** words) {
  static const struct Deed deeds[] = {{"own_profiler", own_profiler},       {"urgent_sigaction", urgent_sigaction},
                                      {"urgent_signal", urgent_signal},     {"every_signal", every_signal},
                                      {"real_time", real_time},             {"waiting_thread", waiting_thread},
                                      {"waits_for_urgent", waits_for_urgent}, {"mask_is_kept", mask_is_kept},
                                      {"jumps_out", jumps_out},             {"alternate_stack", alternate_stack},
                                      {"strict", strict},                   {"children_in_strict_mode", children_in_strict_mode}};
  return do_as_told(deeds, sizeof deeds / sizeof *deeds, count > 1 ? words[1] : NULL);
}

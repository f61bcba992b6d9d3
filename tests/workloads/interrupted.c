// SPDX-License-Identifier: Apache-2.0
// Makes each of the calls that a signal may interrupt, again and again, and tells how often one was: never, where nobody
// sends this program a signal. ROUNDS of each; between two of them it computes for a moment, so that it is seen running.
#include <errno.h>
#include <linux/aio_abi.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int pair[2], epoll, semaphores, messages;
static sem_t semaphore;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static aio_context_t aio;
static volatile unsigned sink;

static struct timespec soon(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  time.tv_nsec += 300000;
  if (time.tv_nsec >= 1000000000) time.tv_sec++, time.tv_nsec -= 1000000000;
  return time;
}

static const struct timespec kShort = {0, 300000};

static int call_nanosleep(void) { return nanosleep(&kShort, NULL); }
static int call_clock_nanosleep(void) { return errno = clock_nanosleep(CLOCK_MONOTONIC, 0, &kShort, NULL), errno ? -1 : 0; }
static int call_usleep(void) { return usleep(300); }
static int call_poll(void) {
  struct pollfd fd = {pair[0], POLLIN, 0};
  return poll(&fd, 1, 1);
}
static int call_ppoll(void) {
  struct pollfd fd = {pair[0], POLLIN, 0};
  return ppoll(&fd, 1, &kShort, NULL);
}
static int call_select(void) {
  fd_set set;
  FD_ZERO(&set);
  FD_SET(pair[0], &set);
  struct timeval time = {0, 300};
  return select(pair[0] + 1, &set, NULL, NULL, &time);
}
static int call_pselect(void) {
  fd_set set;
  FD_ZERO(&set);
  FD_SET(pair[0], &set);
  sigset_t none;
  sigemptyset(&none);
  return pselect(pair[0] + 1, &set, NULL, NULL, &kShort, &none);
}
static int call_epoll_wait(void) {
  struct epoll_event event;
  return epoll_wait(epoll, &event, 1, 1);
}
static int call_epoll_pwait(void) {
  struct epoll_event event;
  sigset_t none;
  sigemptyset(&none);
  return epoll_pwait(epoll, &event, 1, 1, &none);
}
static int call_sem_timedwait(void) {
  const struct timespec until = soon(CLOCK_REALTIME);
  return sem_timedwait(&semaphore, &until);
}
static int call_cond_timedwait(void) {
  const struct timespec until = soon(CLOCK_REALTIME);
  pthread_mutex_lock(&mutex);
  errno = pthread_cond_timedwait(&condition, &mutex, &until);
  const int result = errno;
  pthread_mutex_unlock(&mutex);
  return errno = result, -1;
}
static int call_sigtimedwait(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  return sigtimedwait(&set, NULL, &kShort);
}
static int call_semtimedop(void) {
  struct sembuf take = {0, -1, 0};
  return semtimedop(semaphores, &take, 1, &kShort);
}
static int call_recv(void) {
  char byte;
  return (int)recv(pair[0], &byte, 1, 0);
}
static int call_io_getevents(void) {
  struct io_event event;
  struct timespec time = kShort;
  return (int)syscall(SYS_io_getevents, aio, 1, 1, &event, &time);
}

static void* send_messages(void* unused) {
  struct {
    long type;
    char text[8];
  } message = {1, "x"};
  for (;;) {
    usleep(400);
    if (msgsnd(messages, &message, sizeof message.text, 0) != 0 && errno != EINTR) return unused;
  }
}
static int call_msgrcv(void) {
  struct {
    long type;
    char text[8];
  } message;
  return (int)msgrcv(messages, &message, sizeof message.text, 0, 0);
}

static void compute(void) {
  static unsigned seed = 1;
  seed = seed * 1103515245 + 12345;
  for (unsigned i = 0, end = 5000 + seed / 65536 % 200000; i < end; ++i) sink += i * seed;
}

int main(int count, char** arguments) {
  const int rounds = count > 1 ? atoi(arguments[1]) : 1000;
  static const struct {
    const char* name;
    int (*function)(void);
  } calls[] = {{"nanosleep", call_nanosleep},         {"clock_nanosleep", call_clock_nanosleep},
               {"usleep", call_usleep},               {"poll", call_poll},
               {"ppoll", call_ppoll},                 {"select", call_select},
               {"pselect", call_pselect},             {"epoll_wait", call_epoll_wait},
               {"epoll_pwait", call_epoll_pwait},     {"sem_timedwait", call_sem_timedwait},
               {"cond_timedwait", call_cond_timedwait}, {"sigtimedwait", call_sigtimedwait},
               {"semtimedop", call_semtimedop},       {"recv", call_recv},
               {"io_getevents", call_io_getevents},   {"msgrcv", call_msgrcv}};
  struct timeval time = {0, 300};
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return 1;
  setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
  epoll = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN};
  epoll_ctl(epoll, EPOLL_CTL_ADD, pair[0], &event);
  sem_init(&semaphore, 0, 0);
  semaphores = semget(IPC_PRIVATE, 1, 0600);
  messages = msgget(IPC_PRIVATE, 0600);
  const int has_aio = syscall(SYS_io_setup, 4, &aio) == 0;
  pthread_t sender;
  const int has_messages = messages >= 0 && pthread_create(&sender, NULL, send_messages, NULL) == 0;
  int all = 0;
  for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i) {
    if ((calls[i].function == call_io_getevents && !has_aio) || (calls[i].function == call_msgrcv && !has_messages) ||
        (calls[i].function == call_semtimedop && semaphores < 0))
      continue;
    int interrupted = 0;
    for (int round = 0; round < rounds; ++round) {
      compute();
      errno = 0;
      if (calls[i].function() < 0 && errno == EINTR) ++interrupted;
    }
    if (interrupted > 0) printf("%s was interrupted %d times\n", calls[i].name, interrupted);
    all += interrupted;
  }
  semctl(semaphores, 0, IPC_RMID);
  msgctl(messages, IPC_RMID, NULL);
  printf("%d calls were interrupted\n", all);
  return all > 0;
}

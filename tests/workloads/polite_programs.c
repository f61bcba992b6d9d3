// SPDX-License-Identifier: Apache-2.0
// Programs that start others, in every way that there is. Each prints the same whoever looks at it, or what went wrong. Beside
// it in its folder have to be polite_state and polite_static.
#include <errno.h>
#include <pthread.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "polite.h"

extern char** environ;
static char folder[3000];

static const char* beside(const char* name) {
  static _Thread_local char path[4000];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static void tell_end(const char* what, pid_t child) {
  int status = -1;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) puts("waitpid was interrupted");
  printf("%s ended with %d\n", what, status);
}

static char* const kArguments[] = {"polite_state", "environment", NULL};
static char* const kOwn[] = {"ALPHA=1", "LD_PRELOAD=", "BETA=2", NULL};

static __attribute__((noinline)) pid_t vfork_and_execute(const char* path, char* const* variables) {
  const pid_t child = vfork();
  if (child == 0) {
    execve(path, kArguments, variables);
    _exit(9);
  }
  return child;
}
static void vforks(void) {
  for (int i = 0; i < 20; ++i) {
    compute(0.01);
    tell_end("vfork", vfork_and_execute(beside("polite_state"), i % 2 ? kOwn : environ));
  }
}

static void spawns(void) {
  compute(0.05);
  pid_t child = 0;
  if (posix_spawn(&child, beside("polite_state"), NULL, NULL, kArguments, kOwn) == 0) tell_end("posix_spawn", child);
  if (posix_spawnp(&child, "env", NULL, NULL, (char* const[]){"env", NULL}, environ) == 0) tell_end("posix_spawnp", child);
  printf("none: %d\n", posix_spawn(&child, "/nowhere/at/all", NULL, NULL, kArguments, kOwn));
}

static void shells(void) {
  compute(0.05);
  printf("system: %d\n", system("env; exit 7"));
  printf("system: %d\n", system(NULL) != 0);
  printf("killed: %d\n", system("kill -9 $$"));
  char line[4096];
  FILE* pipe = popen("env", "r");
  while (fgets(line, sizeof line, pipe) != NULL) fputs(line, stdout);
  printf("pclose: %d\n", pclose(pipe));
  pipe = popen("sort -r", "w");
  fputs("a\nb\n", pipe);
  fflush(stdout);
  printf("pclose: %d\n", pclose(pipe));
  printf("own: %s\n", getenv("LD_PRELOAD") ? getenv("LD_PRELOAD") : "none");
}

static void* many_shells(void* number) {
  long wrong = 0;
  for (int i = 0; i < 25; ++i) {
    wrong += system("exit 3") != 3 << 8;
    FILE* pipe = popen("echo $FROM_HERE", "r");
    char line[100] = "";
    wrong += pipe == NULL || fgets(line, sizeof line, pipe) == NULL || strcmp(line, "there\n") != 0;
    wrong += pipe == NULL || pclose(pipe) != 0;
    wrong += getenv("FROM_HERE") == NULL || strcmp(getenv("FROM_HERE"), "there") != 0;
  }
  (void)number;
  return (void*)wrong;
}

static void shells_of_threads(void) {
  setenv("FROM_HERE", "there", 1);
  pthread_t threads[6];
  long wrong = 0;
  for (int i = 0; i < 6; ++i) pthread_create(&threads[i], NULL, many_shells, NULL);
  for (int i = 0; i < 6; ++i) {
    void* result;
    pthread_join(threads[i], &result);
    wrong += (long)result;
  }
  printf("%ld wrong\n", wrong);
  for (char** variable = environ; *variable != NULL; ++variable) puts(*variable);
}

static void* spawn_from_here(void* unused) {
  pid_t child = 0;
  const int result = posix_spawn(&child, beside("polite_state"), NULL, NULL, kArguments, environ);
  if (result == 0) tell_end("small", child);
  return unused;
}

static void small_stack_starts(void) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 16384);
  pthread_t thread;
  pthread_create(&thread, &attributes, spawn_from_here, NULL);
  pthread_join(thread, NULL);
}

static void executes(void (*function)(void)) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    function();
    printf("failed: %s\n", strerror(errno));
    fflush(stdout);
    _exit(1);
  }
  tell_end("exec", child);
}

static void by_execl(void) { execl(beside("polite_state"), "polite_state", "environment", (char*)NULL); }
static void by_execlp(void) { execlp("env", "env", (char*)NULL); }
static void by_execle(void) { execle(beside("polite_state"), "polite_state", "environment", (char*)NULL, kOwn); }
static void by_execvp(void) { execvp("env", (char* const[]){"env", NULL}); }
static void by_execv(void) { execv(beside("polite_state"), kArguments); }
static void by_nothing(void) { execv("/nowhere/at/all", kArguments); }
static void by_folder(void) { execv("/", kArguments); }
static void by_no_environment(void) { execve(beside("polite_state"), kArguments, (char* const[]){NULL}); }
static void to_static(void) { execv(beside("polite_static"), kArguments); }
static void to_sanitized(void) { execv(beside("polite_sanitized"), kArguments); }
static void to_script(void) { execlp("sh", "sh", "-c", "env; echo $0", (char*)NULL); }
static void to_setuid(void) { execl(getenv("SETUID_PROGRAM") ? getenv("SETUID_PROGRAM") : "/bin/true", "setuid", "rights", (char*)NULL); }

static void execs(void) {
  static void (*const kinds[])(void) = {by_execl,   by_execlp, by_execle,         by_execvp, by_execv,
                                        by_nothing, by_folder, by_no_environment, to_static, to_script};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
    compute(0.02);
    executes(kinds[i]);
  }
}
static void sanitized(void) { executes(to_sanitized); }
static void gains_rights(void) { executes(to_setuid); }

// The first ends before its grandchild has begun to work.
static void daemon_alone(void) {
  int ends[2];
  if (pipe(ends) != 0) return;
  const pid_t child = fork();
  if (child == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    close(ends[0]);
    while (getppid() == child) usleep(100);
    compute(0.3);
    printf("session %d\n", getsid(0) != getpid());
    fflush(stdout);
    _exit(system("exit 0"));
  }
  close(ends[1]);
  tell_end("first", child);
  char byte;
  while (read(ends[0], &byte, 1) > 0) {
  }
  puts("gone");
}

int main(int count, char** words) {
  const ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);
  folder[length > 0 ? length : 0] = 0;
  *strrchr(folder, '/') = 0;
  setvbuf(stdout, NULL, _IONBF, 0);
  static const struct Deed deeds[] = {{"vforks", vforks},
                                      {"spawns", spawns},
                                      {"shells", shells},
                                      {"shells_of_threads", shells_of_threads},
                                      {"small_stack_starts", small_stack_starts},
                                      {"execs", execs},
                                      {"sanitized", sanitized},
                                      {"gains_rights", gains_rights},
                                      {"daemon_alone", daemon_alone}};
  return do_as_told(deeds, sizeof deeds / sizeof *deeds, count > 1 ? words[1] : NULL);
}

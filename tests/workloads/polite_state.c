// SPDX-License-Identifier: Apache-2.0
// Prints what a program can know of itself: what it was started with, its files, its threads, its signals.
#include <dirent.h>
#include <stdlib.h>
#include <sys/auxv.h>

#include "polite.h"

extern char** environ;

// As the system shows it; a variable that is empty is no variable.
static void environment(void) {
  for (char** variable = environ; *variable != NULL; ++variable) printf("%s\n", *variable);
  static char text[1 << 20];
  FILE* file = fopen("/proc/self/environ", "r");
  const size_t size = file != NULL ? fread(text, 1, sizeof text - 1, file) : 0;
  if (file != NULL) fclose(file);
  for (size_t at = 0; at < size; at += strlen(text + at) + 1)
    if (text[at] != 0) printf("shown: %s\n", text + at);
}

static void list(const char* path, int with_targets) {
  DIR* folder = opendir(path);
  char name[600], target[600];
  for (struct dirent* entry; (entry = readdir(folder)) != NULL;) {
    if (entry->d_name[0] == '.' || atoi(entry->d_name) == dirfd(folder)) continue;
    snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
    const ssize_t length = with_targets ? readlink(name, target, sizeof target - 1) : -1;
    target[length > 0 ? length : 0] = 0;
    if (strchr(target, ':') != NULL) *strchr(target, ':') = 0;  // numbers of pipes
    if (with_targets)
      printf("%s %s\n", entry->d_name, target);
    else
      printf("one more in %s\n", path);
  }
  closedir(folder);
}

static void files(void) { list("/proc/self/fd", 1); }
static void threads(void) { list("/proc/self/task", 0); }

static void status(void) {
  char line[256];
  FILE* file = fopen("/proc/self/status", "r");
  while (fgets(line, sizeof line, file) != NULL)
    if ((strncmp(line, "Sig", 3) == 0 && line[3] != 'Q') || strncmp(line, "Shd", 3) == 0 || strncmp(line, "Threads", 7) == 0 ||
        strncmp(line, "NoNewPrivs", 10) == 0 || strncmp(line, "Seccomp", 7) == 0)
      fputs(line, stdout);
  fclose(file);
}

static void all(void) {
  compute(0.1);
  environment();
  files();
  threads();
  status();
}

static void without_files(void) {
  for (int fd = 3; fd < 1024; ++fd) close(fd);
  compute(0.1);
  files();
  close(0);
  FILE* file = fopen("/dev/null", "r");
  printf("the first free is %d\n", file ? fileno(file) : -1);
}

static void rights(void) {
  printf("%d %d secure %lu\n", getuid() == geteuid(), getgid() == getegid(), getauxval(AT_SECURE));
  environment();
}

int main(int count, char** words) {
  static const struct Deed deeds[] = {{"all", all}, {"environment", environment}, {"without_files", without_files}, {"rights", rights}};
  return do_as_told(deeds, sizeof deeds / sizeof *deeds, count > 1 ? words[1] : NULL);
}

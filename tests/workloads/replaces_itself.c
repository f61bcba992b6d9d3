// SPDX-License-Identifier: Apache-2.0
// Truth: the 60/30/10 split of split.c, by a program whose executable is not on disk any more: it runs from a copy in a
// folder of its own, over which it has renamed another program (replace), or which it has unlinked (unlink). The other
// program is this one's own bytes in reverse, so whoever reads the path instead of the mapping gets no name, or a wrong one.
//
//   replaces_itself replace|unlink SECONDS
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "truth.h"

static uint64_t units[3];
static uint64_t pieces;

ALONE uint64_t sixty(uint64_t n) { return spin(n, 60); }
ALONE uint64_t thirty(uint64_t n) { return spin(n, 30); }
ALONE uint64_t ten(uint64_t n) { return spin(n, 10); }

ALONE void work(Dice* dice) {
  uint64_t which = roll(dice, 10);
  uint64_t n = some_units(dice);
  if (which < 6) {
    keep(sixty(n));
  } else if (which < 9) {
    keep(thirty(n));
  } else {
    keep(ten(n));
  }
  units[which < 6 ? 0 : which < 9 ? 1 : 2] += n;
  ++pieces;
}

static void die(const char* what) {
  perror(what);
  exit(3);
}

// A copy of the running executable; reversed, it keeps its size and is no program.
static void copy_self(const char* to, int reversed) {
  FILE* from = fopen("/proc/self/exe", "rb");
  struct stat size;
  if (!from || fstat(fileno(from), &size) != 0) {
    die("/proc/self/exe");
  }
  char* bytes = (char*)malloc((size_t)size.st_size);
  if (!bytes || fread(bytes, 1, (size_t)size.st_size, from) != (size_t)size.st_size) {
    die("read");
  }
  for (off_t i = 0; reversed && i < size.st_size / 2; ++i) {
    char other = bytes[size.st_size - 1 - i];
    bytes[size.st_size - 1 - i] = bytes[i];
    bytes[i] = other;
  }
  int out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0755);
  if (out < 0 || write(out, bytes, (size_t)size.st_size) != size.st_size || close(out) != 0) {
    die(to);
  }
  fclose(from);
  free(bytes);
}

int main(int argc, char** argv) {
  static const char* const names[] = {"sixty", "thirty", "ten"};
  if (argc < 3) {
    return 2;
  }
  const char* home = getenv("REPLACES_ITSELF_HOME");
  if (!home) {
    char folder[] = "/tmp/atys-workload-XXXXXX";
    char copy[PATH_MAX];
    if (!mkdtemp(folder)) {
      die("mkdtemp");
    }
    snprintf(copy, sizeof copy, "%s/program", folder);
    copy_self(copy, 0);
    setenv("REPLACES_ITSELF_HOME", folder, 1);
    execv(copy, argv);
    die(copy);
  }
  char mine[PATH_MAX], other[PATH_MAX];
  snprintf(mine, sizeof mine, "%s/program", home);
  snprintf(other, sizeof other, "%s/other", home);
  if (strcmp(argv[1], "replace") == 0) {
    copy_self(other, 1);
    if (rename(other, mine) != 0) {
      die("rename");
    }
  } else if (unlink(mine) != 0) {
    die("unlink");
  }
  Dice dice = {42};
  uint64_t end = wall_ns() + seconds_argument(argc, argv, 2);
  while (wall_ns() < end) {
    work(&dice);
  }
  write_truth_of_units(pieces, 3, names, units);
  unlink(mine);
  rmdir(home);
  return 0;
}

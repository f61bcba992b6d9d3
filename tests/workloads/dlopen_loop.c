// SPDX-License-Identifier: Apache-2.0
// Truth: two shared objects are loaded and unloaded in turn, mostly to the same address; seven of ten times it is the one
// with plugin_seventy(), else the one with plugin_thirty(). Both functions have the same offset in their files.
//
//   dlopen_loop SECONDS [ROUND-MILLISECONDS]     (the objects lie beside the program)
#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <unistd.h>

#include "truth.h"

typedef uint64_t (*Function)(uint64_t);
static uint64_t ns[2];
static uint64_t rounds;

ALONE void use_plugin(const char* folder, const char* name, uint64_t round_ns, uint64_t* sum, Dice* dice) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/lib%s.so", folder, name);
  void* object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  Function function = object ? (Function)(uintptr_t)dlsym(object, name) : NULL;
  if (!function) {
    fprintf(stderr, "dlopen_loop: %s\n", dlerror());
    exit(3);
  }
  uint64_t end = wall_ns() + round_ns;
  uint64_t begin = thread_ns();
  while (wall_ns() < end) {
    keep(function(some_units(dice)));
  }
  *sum += thread_ns() - begin;
  dlclose(object);
  ++rounds;
}

int main(int argc, char** argv) {
  static const char* const names[] = {"plugin_seventy", "plugin_thirty"};
  char self[PATH_MAX] = {0};
  if (readlink("/proc/self/exe", self, sizeof self - 1) < 0) {
    return 3;
  }
  const char* folder = dirname(self);
  Dice dice = {42};
  uint64_t end = wall_ns() + seconds_argument(argc, argv, 1);
  uint64_t round_ns = (argc > 2 ? (uint64_t)atoi(argv[2]) : 20) * 1000000u;
  while (wall_ns() < end) {
    int which = roll(&dice, 10) >= 7;
    use_plugin(folder, names[which], round_ns, &ns[which], &dice);
  }
  write_truth(process_ns(), rounds, 2, names, ns);
  return 0;
}

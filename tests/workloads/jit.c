// SPDX-License-Identifier: Apache-2.0
// Truth: code made at run time, as a JIT compiler would: two functions of machine code in anonymous memory, with frame
// pointers, named in a perf map (/tmp/perf-PID.map). Seven of ten pieces of work are of jit_seventy, three of jit_thirty.
//
//   jit SECONDS [symlink|fifo|none]     what lies in the place of the perf map; a symlink leads to a file of the same
//   content
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "truth.h"

// void f(uint64_t n): counts n down to zero, and has a frame.
#if defined(__x86_64__)
static const unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0xff, 0xcf, 0x75, 0xfb, 0x5d, 0xc3};
#elif defined(__aarch64__)
static const uint32_t code[] = {
    0xa9bf7bfd,  // stp x29, x30, [sp, #-16]!
    0x910003fd,  // mov x29, sp
    0xf1000400,  // subs x0, x0, #1
    0x54ffffe1,  // b.ne the line above
    0xa8c17bfd,  // ldp x29, x30, [sp], #16
    0xd65f03c0,  // ret
};
#else
#error "no machine code for this architecture"
#endif

enum { kApart = 256 };
typedef void (*Function)(uint64_t);
static uint64_t units[2];
static uint64_t pieces;

ALONE void call_jitted(Function function, uint64_t n, uint64_t* sum) {
  function(n);
  *sum += n;
  ++pieces;
}

static void write_map(const char* path, const char* memory) {
  FILE* map = fopen(path, "w");
  if (!map) {
    perror(path);
    exit(3);
  }
  fprintf(map, "%llx %x jit_seventy\n%llx %x jit_thirty\n", (unsigned long long)(uintptr_t)memory, (unsigned)sizeof code,
          (unsigned long long)(uintptr_t)(memory + kApart), (unsigned)sizeof code);
  fclose(map);
}

static void plant(const char* how, const char* path, const char* real, const char* memory) {
  unlink(path);
  if (strcmp(how, "fifo") == 0) {
    if (mkfifo(path, 0600) != 0) {
      exit(3);
    }
  } else if (strcmp(how, "symlink") == 0) {
    write_map(real, memory);
    if (symlink(real, path) != 0) {
      exit(3);
    }
  } else if (strcmp(how, "map") == 0) {
    write_map(path, memory);
  }
}

int main(int argc, char** argv) {
  static const char* const names[] = {"jit_seventy", "jit_thirty"};
  char* memory = (char*)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return 3;
  }
  memcpy(memory, code, sizeof code);
  memcpy(memory + kApart, code, sizeof code);
  __builtin___clear_cache(memory, memory + 4096);
  if (mprotect(memory, 4096, PROT_READ | PROT_EXEC) != 0) {
    return 3;
  }
  char path[64], real[64];
  snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
  snprintf(real, sizeof real, "/tmp/atys-workload-%d.map", (int)getpid());
  plant(argc > 2 ? argv[2] : "map", path, real, memory);
  Dice dice = {42};
  uint64_t end = wall_ns() + seconds_argument(argc, argv, 1);
  while (wall_ns() < end) {
    int which = roll(&dice, 10) >= 7;
    call_jitted((Function)(uintptr_t)(memory + (which ? kApart : 0)), 4 * some_units(&dice), &units[which]);
  }
  write_truth_of_units(pieces, 2, names, units);
  // The map stays as long as a profiler may want it: whoever started this program removes it.
  return 0;
}

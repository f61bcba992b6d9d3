// SPDX-License-Identifier: Apache-2.0
// Truth: two functions touch pages that nobody has touched before, 70 and 30 of each hundred, and each page is a page fault.
// `ns` is how many pages each touched, `total_ns` how many faults the kernel counted of the process (getrusage), those of
// its start included.
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "truth.h"

enum { kPieces = 100, kPagesOfPiece = 16 };

static size_t page_size;

INTO_CALLER void touch(volatile char* piece) {
  for (size_t page = 0; page < kPagesOfPiece; ++page) {
    piece[page * page_size] = 1;
  }
}

ALONE uint64_t touch_seventy(volatile char* piece) {
  touch(piece);
  return kPagesOfPiece;
}

ALONE uint64_t touch_thirty(volatile char* piece) {
  touch(piece);
  return kPagesOfPiece;
}

// Of each hundred pieces thirty, in an order that no period is in step with.
ALONE void touch_all(Dice* dice, volatile char* memory, uint64_t* pages) {
  uint64_t seventy = 70;
  uint64_t thirty = 30;
  for (size_t i = 0; i < kPieces; ++i) {
    volatile char* piece = memory + i * kPagesOfPiece * page_size;
    if (roll(dice, seventy + thirty) < seventy) {
      pages[0] += touch_seventy(piece);
      --seventy;
    } else {
      pages[1] += touch_thirty(piece);
      --thirty;
    }
  }
}

int main(int argc, char** argv) {
  static const char* const names[] = {"touch_seventy", "touch_thirty"};
  uint64_t pages[2] = {0, 0};
  Dice dice = {1};
  page_size = (size_t)sysconf(_SC_PAGESIZE);
  size_t bytes = kPieces * kPagesOfPiece * page_size;
  uint64_t end = wall_ns() + seconds_argument(argc, argv, 1);
  while (wall_ns() < end) {
    char* memory = (char*)mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
      return 3;
    }
    madvise(memory, bytes, MADV_NOHUGEPAGE);
    touch_all(&dice, memory, pages);
    munmap(memory, bytes);
  }
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  write_truth((uint64_t)(used.ru_minflt + used.ru_majflt), pages[0] + pages[1], 2, names, pages);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
#include "linux/run_delay.h"

#include <filesystem>
#include <fstream>
#include <string>

namespace atys::linux {

namespace {
constexpr int kMostThreads = 1000;
}

uint64_t run_delay_ns(pid_t pid) {
  uint64_t sum = 0;
  int threads = 0;
  std::error_code error;
  std::filesystem::directory_iterator task("/proc/" + std::to_string(pid) + "/task", error);
  while (!error && task != std::filesystem::directory_iterator() && ++threads <= kMostThreads) {
    // Time on a CPU, time ready, times that it was scheduled.
    std::ifstream file(task->path() / "schedstat");
    uint64_t running = 0, ready = 0;
    if (file >> running >> ready) sum += ready;
    task.increment(error);
  }
  return sum;
}

}  // namespace atys::linux

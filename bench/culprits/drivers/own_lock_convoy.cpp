// SPDX-License-Identifier: Apache-2.0
// Threads that compute share one counter, and take its lock for each step.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

static bool fixed = false;

struct Progress {
  std::mutex lock;
  uint64_t done = 0;
};

void count_step(Progress& progress, uint64_t& own) {
  if (fixed && ++own % 1024) return;
  std::lock_guard<std::mutex> held(progress.lock);
  progress.done += fixed ? 1024 : 1;
}

uint64_t mix(uint64_t value) {
  for (int i = 0; i < 12; i++) value = (value ^ value >> 29) * 0xbf58476d1ce4e5b9ull;
  return value;
}

void work(Progress& progress, uint64_t seed, uint64_t& result) {
  uint64_t own = 0, sum = 0;
  for (uint64_t i = 0; i < 12'000'000; i++) {
    sum += mix(seed + i);
    count_step(progress, own);
  }
  result = sum;
}

int main(int count, char** words) {
  fixed = count > 1 && !std::strcmp(words[1], "fixed");
  Progress progress;
  std::vector<uint64_t> results(4);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < results.size(); i++) threads.emplace_back(work, std::ref(progress), i * 1000, std::ref(results[i]));
  for (auto& thread : threads) thread.join();
  std::printf("%llu %llu\n", (unsigned long long)progress.done / 4096, (unsigned long long)results[0]);
}

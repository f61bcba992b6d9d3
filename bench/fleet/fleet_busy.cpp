// SPDX-License-Identifier: Apache-2.0
// A busy target: rounds of work, and how much CPU time they took, in a file.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <map>
#include <string>
#include <vector>

namespace shop {

__attribute__((noinline)) uint64_t sort_orders(std::vector<uint64_t>& orders, uint64_t seed) {
  for (uint64_t& order : orders) order = seed = seed * 6364136223846793005u + 1442695040888963407u;
  std::sort(orders.begin(), orders.end());
  return orders[orders.size() / 2];
}

__attribute__((noinline)) size_t index_names(uint64_t seed) {
  std::map<std::string, uint64_t> index;
  for (uint64_t i = 0; i < 500; ++i) index[std::to_string(seed * (i + 1))] = i;
  return index.size();
}

__attribute__((noinline)) uint64_t serve(std::vector<uint64_t>& orders, uint64_t seed) {
  return sort_orders(orders, seed) + index_names(seed);
}

}  // namespace shop

int main(int, char** argv) {
  std::FILE* file = std::fopen(argv[1], "w");
  std::vector<uint64_t> orders(4000);
  for (uint64_t rounds = 1;; ++rounds) {
    shop::serve(orders, rounds);
    if (rounds % 20 != 0) continue;
    timespec used{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    std::rewind(file);
    std::fprintf(file, "%llu %lld\n", static_cast<unsigned long long>(rounds), used.tv_sec * 1000000000ll + used.tv_nsec);
    std::fflush(file);
  }
}

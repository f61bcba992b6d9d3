// SPDX-License-Identifier: Apache-2.0
// Truth: one thread; six of ten pieces are of Mixer<6>::step(), three of Mixer<3>::step(), one of Mixer<1>::step(). All of
// it is templates and inlined into one function (run), so only debugging information tells them apart. Each step is of the
// line that holds its loop.
//
//   inlined SECONDS
#include <array>

#include "truth.h"

namespace shop {
template <int Weight>
struct Mixer {
  // The loop is written here and not taken from spin(), so that step() is what has the lines.
  __attribute__((always_inline)) static inline uint64_t step(uint64_t n, uint64_t x) {
    for (uint64_t i = 0; i < n; ++i) {
      x ^= x << 13;
      x ^= x >> 7;
      x ^= x << 17;
      __asm__ volatile("" : "+r"(x));
    }
    return x + Weight;
  }
};

template <typename... Mixers>
struct Chain {
  std::array<uint64_t, sizeof...(Mixers)> units{};
  uint64_t pieces = 0;

  template <typename Mixer>
  __attribute__((always_inline)) inline void counted(size_t index, uint64_t n) {
    keep(Mixer::step(n, index + 1));
    units[index] += n;
  }

  template <size_t... Index>
  __attribute__((always_inline)) inline void pick(size_t chosen, uint64_t n, std::index_sequence<Index...> /*indices*/) {
    (void)((chosen == Index ? (counted<Mixers>(Index, n), true) : false) || ...);
    ++pieces;
  }

  ALONE void run(uint64_t end) {
    Dice dice = {7};
    while (wall_ns() < end) {
      uint64_t which = roll(&dice, 10);
      pick(which < 6 ? 0 : which < 9 ? 1 : 2, some_units(&dice), std::index_sequence_for<Mixers...>{});
    }
  }
};
}  // namespace shop

int main(int argc, char** argv) {
  static const char* const kNames[] = {"shop::Mixer<6>::step", "shop::Mixer<3>::step", "shop::Mixer<1>::step"};
  shop::Chain<shop::Mixer<6>, shop::Mixer<3>, shop::Mixer<1>> chain;
  chain.run(wall_ns() + seconds_argument(argc, argv, 1));
  write_truth_of_units(chain.pieces, 3, kNames, chain.units.data());
}

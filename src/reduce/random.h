// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same everywhere for the same seed: what was drawn can be drawn again. Steele, Lea and Flood's
// SplitMix64 (2014).
#pragma once

#include <cstddef>
#include <cstdint>

namespace atys::reduce {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  // Below `bound`, which must not be 0 and is small beside 2^32, so that the multiplication's bias does not matter.
  size_t below(size_t bound) { return static_cast<size_t>(((next() >> 32) * bound) >> 32); }
  bool coin() { return (next() >> 63) != 0; }
  double uniform() { return (static_cast<double>(next() >> 11) + 0.5) * 0x1p-53; }  // strictly between 0 and 1

 private:
  uint64_t state_;
};

}  // namespace atys::reduce

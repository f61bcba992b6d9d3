// SPDX-License-Identifier: Apache-2.0
// Finds out which functions have lasted, so that the sampler need not look at all of each every time (atys_lasting).
//
// A function that is made and freed again and again, by a program that runs a template after the other, gets the same memory
// for each, and all words of it may be the same: only its texts tell. So nothing is taken to last that was seen to change,
// and no code of modules, which is freed when it has run.
#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

#include "capture/walking/code_cookie.h"

namespace atys::capture::python {

class LastingCode {
 public:
  // `may_last`: it is a function's, as far as that is known.
  void see(linux::MemoryReader& memory, const atys_cookie& cookie, const atys_walked& walked, bool may_last,
           uint64_t now_ns);
  std::vector<atys_lasting> take() { return std::exchange(found_, {}); }

  static constexpr uint32_t kSeenOften = 16;
  static constexpr uint64_t kLastsNs = 500'000'000;    // since it was seen first
  static constexpr uint64_t kAgainNs = 2'000'000'000;  // then it is told again: two may want one place
  static constexpr size_t kMostCodes = 1 << 16;

 private:
  struct Seen {
    uint64_t cookie = 0;
    uint64_t tell_at_ns = 0;
    uint32_t times = 0;
    bool has_changed = false;
  };
  std::unordered_map<uint64_t, Seen> seen_;  // by address
  std::vector<atys_lasting> found_;
};

}  // namespace atys::capture::python

// SPDX-License-Identifier: Apache-2.0
// What a call may cost and did cost. Pure data: five resources, each a whole number, so that sums are exact.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>

namespace atys::budget {

inline constexpr uint64_t kUnbounded = std::numeric_limits<uint64_t>::max();

struct Charge {
  uint64_t captures = 0;
  uint64_t profiled_ns = 0;  // how long targets were recorded
  uint64_t wall_ns = 0;      // how long the caller waited for us
  uint64_t overhead_ns = 0;  // CPU time of ours: our process and our programs in the kernel
  uint64_t tokens = 0;       // of answers, in tokens of a language model, never counted too low

  bool operator==(const Charge&) const = default;
};

// As a limit: this much and no more; kUnbounded where there is none.
inline constexpr Charge kNoLimit{kUnbounded, kUnbounded, kUnbounded, kUnbounded, kUnbounded};

struct Budget {
  Charge in_all = kNoLimit;
  Charge per_call = kNoLimit;

  bool operator==(const Budget&) const = default;
};

enum class Unit { Count, Nanoseconds };

struct Resource {
  const char* key;   // in files and in JSON
  const char* name;  // for people
  Unit unit;
  uint64_t Charge::*amount;
};

inline constexpr std::array<Resource, 5> kResources{{
    {"captures", "captures", Unit::Count, &Charge::captures},
    {"profiled_ns", "profiled time", Unit::Nanoseconds, &Charge::profiled_ns},
    {"wall_ns", "wall time", Unit::Nanoseconds, &Charge::wall_ns},
    {"overhead_ns", "overhead", Unit::Nanoseconds, &Charge::overhead_ns},
    {"tokens", "tokens", Unit::Count, &Charge::tokens},
}};

// Of each resource. Sums stop at kUnbounded, differences at 0; what is unbounded stays so, whatever is taken from it.
Charge add(const Charge& a, const Charge& b);
Charge subtract(const Charge& a, const Charge& b);
Charge smaller(const Charge& a, const Charge& b);

// The first resource of which `least` is more than `left`; null: all fit.
const Resource* first_lacking(const Charge& least, const Charge& left);

// "3", "12.5 s", "no limit"
std::string amount_text(const Resource& resource, uint64_t amount);

}  // namespace atys::budget

// SPDX-License-Identifier: Apache-2.0
// What a program that runs for good tells whoever looks at its log: how each of the things that it looks after is, when that
// changes, and not more often than can be read. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace atys::present::text {

class StateLog {
 public:
  // By what it is about: "task shop" → "recording". Lines to write, each "task shop: recording".
  // `troubles`: subjects that are told again although nothing changed, at growing intervals.
  std::vector<std::string> next(const std::map<std::string, std::string>& states, uint64_t now_ns,
                                const std::set<std::string>& troubles = {});

 private:
  struct Told {
    std::string state;
    uint64_t at_ns = 0;
    uint64_t again_ns = 0;  // after so long, if it is a trouble
  };
  std::map<std::string, Told> told_;
};

}  // namespace atys::present::text

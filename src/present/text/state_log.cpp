// SPDX-License-Identifier: Apache-2.0
#include "present/text/state_log.h"

#include "present/text/numbers.h"

namespace atys::present::text {

namespace {

constexpr uint64_t kLeastNs = 30'000'000'000;  // between two lines about the same: what comes and goes would fill the log
constexpr size_t kMost = 10'000;

}  // namespace

std::vector<std::string> StateLog::next(const std::map<std::string, std::string>& states, uint64_t now_ns) {
  std::vector<std::string> lines;
  std::erase_if(told_, [&](const auto& known) { return !states.contains(known.first); });
  for (const auto& [subject, state] : states) {
    const auto known = told_.find(subject);
    if (known == told_.end() ? told_.size() >= kMost
                             : known->second.state == state || now_ns - known->second.at_ns < kLeastNs)
      continue;
    told_[subject] = {state, now_ns};
    lines.push_back(one_line(subject + ": " + state));
  }
  return lines;
}

}  // namespace atys::present::text

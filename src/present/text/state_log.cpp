// SPDX-License-Identifier: Apache-2.0
#include "present/text/state_log.h"

#include <algorithm>

#include "present/text/numbers.h"

namespace atys::present::text {

namespace {

constexpr uint64_t kLeastNs = 30'000'000'000;  // between two lines about the same: what comes and goes would fill the log
constexpr uint64_t kAgainNs = 60'000'000'000;  // what stays wrong is said again after so long, then after twice as long …
constexpr uint64_t kMostNs = 3'600'000'000'000;
constexpr size_t kMost = 10'000;

}  // namespace

std::vector<std::string> StateLog::next(const std::map<std::string, std::string>& states, uint64_t now_ns,
                                        const std::set<std::string>& troubles) {
  std::vector<std::string> lines;
  std::erase_if(told_, [&](const auto& known) { return !states.contains(known.first); });
  for (const auto& [subject, state] : states) {
    const auto known = told_.find(subject);
    const bool is_new = known == told_.end();
    if (is_new && told_.size() >= kMost) continue;
    const uint64_t age_ns = is_new ? 0 : now_ns - known->second.at_ns;
    const bool is_same = !is_new && known->second.state == state;
    const bool is_due = is_same ? troubles.contains(subject) && age_ns >= known->second.again_ns : age_ns >= kLeastNs;
    if (!is_new && !is_due) continue;
    told_[subject] = {state, now_ns, is_same ? std::min(2 * known->second.again_ns, kMostNs) : kAgainNs};
    lines.push_back(one_line(subject + ": " + state));
  }
  return lines;
}

}  // namespace atys::present::text

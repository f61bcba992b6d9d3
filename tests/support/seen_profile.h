// SPDX-License-Identifier: Apache-2.0
// What a profile of two value types says of functions, threads and kinds of frames.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "profile/profile.h"

namespace atys::test {

// What a profile says of functions: the share of those that have it on their stack, and their lines.
struct Seen {
  std::map<std::string, double> shares;
  std::map<std::string, std::set<int64_t>> lines;
  std::set<std::string> threads;
  std::set<std::string> kinds;
  int64_t samples = 0;
  int64_t total = 0;
};

inline void add_stack(const Profile& profile, size_t row, Seen& seen) {
  const int64_t value = profile.samples.value(row, 1);
  std::set<std::string> names;
  for (const profile::FrameId id : profile.stacks[profile.samples.stack(row)]) {
    const profile::Frame& frame = profile.frames[id];
    seen.kinds.emplace(profile.text(frame.kind));
    for (const profile::Line& line : profile.lines[frame.lines]) {
      const std::string name(profile::function_name(profile, line.function));
      names.insert(name);
      seen.lines[name].insert(line.line);
    }
  }
  for (const std::string& name : names) seen.shares[name] += static_cast<double>(value);
}

inline Seen look_into(const Profile& profile) {
  Seen seen;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    seen.samples += profile.samples.value(row, 0);
    seen.total += profile.samples.value(row, 1);
    add_stack(profile, row, seen);
    for (const profile::LabelId id : profile.label_sets[profile.samples.labels(row)])
      if (profile.text(profile.labels[id].key) == "thread.name") seen.threads.emplace(profile.text(profile.labels[id].text));
  }
  for (auto& [name, share] : seen.shares) share /= static_cast<double>(std::max<int64_t>(seen.total, 1));
  return seen;
}

}  // namespace atys::test

// SPDX-License-Identifier: Apache-2.0
// The functions that metrics show: for each instance the costliest ones and those that a task tracks, as counters; all
// others are one. A function that was among the costliest stays for a while after it has left them, so that series do not
// come and go with every window.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "profile/profile.h"

namespace atys::fleet {

struct HotspotPlan {
  size_t top = 10;
  size_t most = 30;                     // of an instance, sticky and tracked ones included
  uint64_t stays_ns = 300'000'000'000;  // after it was last among the top
  std::vector<std::string> track;       // as Task::track
};

class Hotspots {
 public:
  explicit Hotspots(HotspotPlan plan) : plan_(std::move(plan)) {}

  struct Key {
    std::string service, instance, kind;
    auto operator<=>(const Key&) const = default;
  };
  struct Function {
    std::string name;  // "other" for all that have no row of their own
    double self = 0;   // seconds (bytes, events …) since it came in
    double total = 0;  // with what it called; of "other" not known
  };
  struct Row {
    Key key;
    std::vector<Function> functions;  // largest first, "other" last
  };

  // Adds a window as outgoing_window() made it.
  void add(const Profile& window, uint64_t now_ns);
  // Instances that have not been heard of for as long as a function stays are gone.
  std::vector<Row> rows(uint64_t now_ns) const;

 private:
  struct Counter {
    double self = 0;
    double total = 0;
    uint64_t last_top_ns = 0;
  };
  struct Instance {
    std::map<std::string, Counter> functions;
    double other = 0;
    uint64_t last_ns = 0;
  };
  void add_instance(const Key& key, const std::map<std::string, std::pair<double, double>>& costs, uint64_t now_ns);
  bool is_tracked(const std::string& function) const;

  HotspotPlan plan_;
  std::map<Key, Instance> instances_;
};

}  // namespace atys::fleet

// SPDX-License-Identifier: Apache-2.0
// Makes the lists of services and instances of what a store has seen, series by series, in any order.
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "store/profile_store.h"

namespace atys::store {

// The windows of one instance that say the same of themselves.
struct SeenSeries {
  std::string service, kind, version, node, instance;
  LabelList labels;  // sorted
  Stretch stretch;
  int64_t first_ns = 0, last_ns = 0;
  uint64_t windows = 0;  // more than 0
};

class ServiceList {
 public:
  void add(const SeenSeries& seen);
  // Of services that are known already.
  void add_bytes(std::string_view service, uint64_t bytes);
  std::vector<ServiceEntry> finish();

 private:
  struct Known {
    ServiceEntry entry;
    std::set<std::pair<std::string, std::string>> instances;  // by node
  };
  std::map<std::string, Known, std::less<>> services_;
};

class InstanceList {
 public:
  void add(const SeenSeries& seen);
  std::vector<InstanceEntry> finish();

 private:
  std::map<std::tuple<std::string, std::string, std::string, LabelList>, InstanceEntry> instances_;
};

}  // namespace atys::store

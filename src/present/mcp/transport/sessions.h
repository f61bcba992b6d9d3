// SPDX-License-Identifier: Apache-2.0
// Sessions of legacy clients over HTTP: what `initialize` agreed on, by the id that the client sends again. The oldest is
// forgotten when there are too many.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>

#include "base/guarded.h"

namespace atys::present::mcp {

class Sessions {
 public:
  void add(const std::string& id, const std::string& version) {
    const auto all = all_.lock();
    all->versions[id] = version;
    all->order.push_back(id);
    if (all->order.size() <= kMost) return;
    all->versions.erase(all->order.front());
    all->order.pop_front();
  }
  std::optional<std::string> version_of(const std::string& id) {
    const auto all = all_.lock();
    const auto found = all->versions.find(id);
    return found == all->versions.end() ? std::nullopt : std::optional(found->second);
  }
  bool remove(const std::string& id) { return all_.lock()->versions.erase(id) > 0; }

 private:
  static constexpr size_t kMost = 1000;
  struct All {
    std::map<std::string, std::string> versions;
    std::deque<std::string> order;
  };
  Guarded<All> all_;
};

}  // namespace atys::present::mcp

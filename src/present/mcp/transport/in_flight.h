// SPDX-License-Identifier: Apache-2.0
// The requests that are being worked on, by session and id, so that they can be cancelled.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/guarded.h"
#include "base/json.h"

namespace atys::present::mcp {

using CancelFlag = std::shared_ptr<std::atomic<bool>>;

class InFlight {
 public:
  // Null: there is one with that id already.
  CancelFlag add(const std::string& session, const Json& id) {
    auto flag = std::make_shared<std::atomic<bool>>(false);
    const bool is_new = flags_.lock()->emplace(std::pair(session, id.dump()), flag).second;
    return is_new ? flag : nullptr;
  }
  void remove(const std::string& session, const Json& id) { flags_.lock()->erase(std::pair(session, id.dump())); }
  void cancel(const std::string& session, const Json& id) {
    const auto flags = flags_.lock();
    if (const auto found = flags->find(std::pair(session, id.dump())); found != flags->end()) found->second->store(true);
  }
  void cancel_all() {
    const auto flags = flags_.lock();
    for (const auto& [key, flag] : *flags) flag->store(true);
  }

 private:
  Guarded<std::map<std::pair<std::string, std::string>, CancelFlag>> flags_;
};

}  // namespace atys::present::mcp

// SPDX-License-Identifier: Apache-2.0
// Most Node.js processes open their inspector on the same port, and who finds it taken opens none. Where the one that holds
// it was opened by us, it can be asked to move. Shared by all recordings of this process; the inspector of somebody else is
// never asked.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>

#include "base/unique_fd.h"

namespace atys::capture::node {

// A port of a network namespace.
struct PortKey {
  uint64_t net = 0;
  uint16_t port = 0;

  auto operator<=>(const PortKey&) const = default;
};

// As long as this is there, the port is taken by an inspector of ours.
class PortHolder {
 public:
  explicit PortHolder(PortKey key);
  ~PortHolder();
  PortHolder(const PortHolder&) = delete;
  PortHolder& operator=(const PortHolder&) = delete;

  int fd() const { return asked_.get(); }  // readable: somebody wants it
  bool is_asked() const;

 private:
  PortKey key_;
  UniqueFd asked_;  // an eventfd
};

// Asks whoever of ours holds it to move away; false: nobody of ours does.
bool ask_for_port(PortKey key);

// One opens at a time on each port. Not held: its turn did not come in time.
class PortTurn {
 public:
  PortTurn(PortKey key, std::chrono::milliseconds patience);
  bool has_come() const { return lock_.owns_lock(); }

 private:
  std::shared_ptr<std::timed_mutex> mutex_;  // shared with all that want the same port
  std::unique_lock<std::timed_mutex> lock_;
};

}  // namespace atys::capture::node

// SPDX-License-Identifier: Apache-2.0
// What other threads have for the thread of a server, by connection. Outlives both by being shared: an answer may come when
// the server is gone.
#pragma once

#include <sys/eventfd.h>

#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "base/unique_fd.h"
#include "net/channel.h"

namespace atys::net {

class Mailbox {
 public:
  using Letter = std::pair<uint64_t, std::function<void(Protocol&)>>;

  Mailbox() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  int fd() const { return event_.get(); }

  void put(uint64_t connection, std::function<void(Protocol&)> what) {
    {
      const std::lock_guard lock(mutex_);
      letters_.emplace_back(connection, std::move(what));
    }
    ring();
  }
  void ring() const { ::eventfd_write(event_.get(), 1); }
  std::vector<Letter> take() {
    eventfd_t count = 0;
    ::eventfd_read(event_.get(), &count);
    const std::lock_guard lock(mutex_);
    return std::exchange(letters_, {});
  }

 private:
  const UniqueFd event_;
  std::mutex mutex_;
  std::vector<Letter> letters_;
};

}  // namespace atys::net

// SPDX-License-Identifier: Apache-2.0
#include "capture/node/port_holder.h"

#include <poll.h>
#include <sys/eventfd.h>

#include <map>

#include "base/guarded.h"

namespace atys::capture::node {

namespace {

Guarded<std::map<PortKey, int>>& holders() {
  static Guarded<std::map<PortKey, int>> all;  // and whom to tell
  return all;
}

std::shared_ptr<std::timed_mutex> mutex_of(PortKey key) {
  static Guarded<std::map<PortKey, std::weak_ptr<std::timed_mutex>>> all;
  const auto locked = all.lock();
  std::erase_if(*locked, [](const auto& one) { return one.second.expired(); });
  auto mutex = (*locked)[key].lock();
  if (mutex == nullptr) (*locked)[key] = mutex = std::make_shared<std::timed_mutex>();
  return mutex;
}

}  // namespace

PortHolder::PortHolder(PortKey key) : key_(key), asked_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  (*holders().lock())[key] = asked_.get();
}

PortHolder::~PortHolder() {
  const auto locked = holders().lock();
  if (const auto found = locked->find(key_); found != locked->end() && found->second == asked_.get()) locked->erase(found);
}

bool PortHolder::is_asked() const {
  pollfd asked{asked_.get(), POLLIN, 0};
  return ::poll(&asked, 1, 0) > 0;
}

// Under the lock: the holder may be about to go.
bool ask_for_port(PortKey key) {
  const auto locked = holders().lock();
  const auto found = locked->find(key);
  return found != locked->end() && ::eventfd_write(found->second, 1) == 0;
}

PortTurn::PortTurn(PortKey key, std::chrono::milliseconds patience) : mutex_(mutex_of(key)), lock_(*mutex_, patience) {}

}  // namespace atys::capture::node

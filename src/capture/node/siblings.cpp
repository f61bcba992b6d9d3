// SPDX-License-Identifier: Apache-2.0
#include "capture/node/siblings.h"

#include <sys/stat.h>

#include <optional>
#include <string>
#include <utility>

#include "linux/namespaces.h"
#include "linux/process.h"

namespace atys::capture::node {

namespace {

std::optional<std::pair<dev_t, ino_t>> executable_of(pid_t pid) {
  struct stat status {};
  if (::stat(("/proc/" + std::to_string(pid) + "/exe").c_str(), &status) != 0) return {};
  return std::pair(status.st_dev, status.st_ino);
}

}  // namespace

bool has_sibling(pid_t pid) {
  const auto own = executable_of(pid);
  if (!own) return false;
  const uint64_t net = linux::read_namespaces(pid).net;
  for (const pid_t other : linux::list_processes())
    if (other != pid && executable_of(other) == own && linux::read_namespaces(other).net == net) return true;
  return false;
}

}  // namespace atys::capture::node

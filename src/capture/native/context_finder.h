// SPDX-License-Identifier: Apache-2.0
// Who knows where the threads of a process say what they work on. Implemented outside of the native kernel, which knows no
// conventions of others.
#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "capture/native/context_records.h"

namespace atys::capture::native {

class ContextFinder {
 public:
  virtual ~ContextFinder() = default;

  struct Found {
    atys_context_place place{};
    std::vector<std::string> keys;                // of attributes, by their number
    std::map<std::string, std::string> resource;  // what the process says of itself
  };
  // Empty: nothing is published, or not yet.
  virtual std::optional<Found> find_context(pid_t pid) = 0;
};

}  // namespace atys::capture::native

// SPDX-License-Identifier: Apache-2.0
// Windows as a controller passes them on to the one above it.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "profile/profile.h"

namespace atys::fleet {

struct PassedOn {
  std::string controller;  // the name of this one: the node that the window comes from
  std::string service, kind, version, stretch;
  std::string occasion;  // what makes it another window than others of the same series
};

// As OTLP. Without samples it says that the service did nothing.
Result<std::string> to_message(const Profile& profile, const PassedOn& origin);

}  // namespace atys::fleet

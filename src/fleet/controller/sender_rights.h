// SPDX-License-Identifier: Apache-2.0
// What a sender may say: services of its scope, of the node that it is.
#pragma once

#include <string>

#include "base/access.h"
#include "base/result.h"
#include "fleet/controller/received.h"
#include "fleet/wire/control.h"

namespace atys::fleet {

// Whether a report may come from there. A node is nobody else, nobody who shares a token is a node that has joined, and
// only who has a token for it is a controller.
Result<> may_report(const AgentReport& report, const Identity& from, const Access& access);

struct NotTheirs {
  size_t profiles = 0;
  std::string why;  // of the first of them
};
// Takes out what `from` may not send. Windows that name no node are of the node that sends them.
NotTheirs keep_what_may_be_sent(Received& received, const Identity& from, const Access& access);

}  // namespace atys::fleet

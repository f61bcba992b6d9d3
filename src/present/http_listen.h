// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"

namespace httplib {
class Server;
}

namespace atys::present {

// Takes the port for this server alone; 0: any that is free. Returns the port. To be called after all other settings.
Result<int> bind_alone(httplib::Server& server, const std::string& address, int port);

}  // namespace atys::present

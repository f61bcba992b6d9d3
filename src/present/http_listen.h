// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <thread>

#include "base/result.h"

namespace httplib {
class Server;
}

namespace atys::present {

// Takes the port for this server alone; 0: any that is free. Returns the port. To be called after all other settings.
Result<int> bind_alone(httplib::Server& server, const std::string& address, int port);

// A thread that serves. It is at work when this returns: who told the server to stop before would wait for its end for ever.
std::thread serve(httplib::Server& server);

}  // namespace atys::present

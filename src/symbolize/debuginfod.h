// SPDX-License-Identifier: Apache-2.0
// Asks the servers of DEBUGINFOD_URLS for a debug file. libdebuginfod is loaded when it is first needed: most systems that
// run Atys have neither the library nor a server.
#pragma once

#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace atys::symbolize {

// Gives up after so many seconds.
Result<UniqueFd> ask_debuginfod(const std::string& build_id, int most_seconds);

}  // namespace atys::symbolize

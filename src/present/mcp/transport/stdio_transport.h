// SPDX-License-Identifier: Apache-2.0
// The protocol over standard input and output: one message a line. Requests are worked on at the same time, each on a thread
// of its own; the end of the input ends everything.
#pragma once

#include "base/result.h"
#include "present/mcp/protocol/server.h"

namespace atys::present::mcp {

Result<> serve_stdio(const Server& server, Performer& performer, int input, int output);

}  // namespace atys::present::mcp

// SPDX-License-Identifier: Apache-2.0
// HTTP/1.1 on one connection: one request at a time, each decided on by its head; its body is kept only if it was let in.
#pragma once

#include "net/channel.h"
#include "net/chunked_body.h"

namespace atys::net {

// `channel` outlives it. `keeps_connections`: more than one request may come on it.
std::unique_ptr<Protocol> create_http1(Channel& channel, bool keeps_connections);

}  // namespace atys::net

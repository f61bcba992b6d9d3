// SPDX-License-Identifier: Apache-2.0
// HTTP/2 on one connection, from its first byte on: over TLS, or with what gRPC calls prior knowledge. Frames are nghttp2's;
// what a connection may cost is ours: requests at a time, headers, bodies, what it may flood us with.
#pragma once

#include "net/channel.h"

namespace atys::net {

// `channel` outlives it.
std::unique_ptr<Protocol> create_http2(Channel& channel);

}  // namespace atys::net

// SPDX-License-Identifier: Apache-2.0
// Sockets that listen, and how many descriptors there are for what they bring.
#pragma once

#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace atys::net {

struct Listening {
  UniqueFd socket;
  int port = 0;
};
// Takes the port for us alone; 0: any that is free.
Result<Listening> listen_on(const std::string& address, int port);

// Raises what this process may have open to what the system lets it have. For processes that start no others: those would
// have it too. Returns how many that is.
size_t raise_descriptor_limit();

// How many descriptors may be connections of a server: enough are left for files, and for another server beside it. Agents
// stay (HTTP/2), others come and go.
size_t descriptors_for_connections(bool is_http2);

}  // namespace atys::net

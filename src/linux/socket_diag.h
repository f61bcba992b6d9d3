// SPDX-License-Identifier: Apache-2.0
// Sockets that listen, asked for by netlink: the kernel then looks at those alone. To read /proc/net/tcp for them walks the
// whole table of connections, however empty: some milliseconds where memory is large.
#pragma once

#include <vector>

#include "base/result.h"
#include "linux/process_sockets.h"

namespace atys::linux {

// TCP, of the network namespace that we are in. Fails where the kernel has no such answer to give.
Result<std::vector<TcpSocket>> ask_tcp_listeners();

}  // namespace atys::linux

// SPDX-License-Identifier: Apache-2.0
// The TCP sockets of one process's network namespace, and which of them are the process's own.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace atys::linux {

struct TcpSocket {
  uint16_t local_port = 0;
  uint16_t remote_port = 0;
  uint64_t inode = 0;
  bool is_listening = false;
  bool is_established = false;
  bool is_ipv6 = false;
};

// Of /proc/PID/net/tcp or tcp6. Sockets that are only remembered (inode 0) are left out.
std::vector<TcpSocket> parse_tcp_sockets(std::string_view text, bool is_ipv6);

// All that listen in the process's network namespace, whoever they belong to.
Result<std::vector<TcpSocket>> read_tcp_listeners(pid_t pid);
// All whose local port is `port`, connections included: reads the whole table, up to a bound.
Result<std::vector<TcpSocket>> read_tcp_sockets_at(pid_t pid, uint16_t port);

// The inodes of the sockets that a process has open. Costs some microseconds for each file that it has open.
Result<std::set<uint64_t>> read_socket_inodes(pid_t pid);

}  // namespace atys::linux

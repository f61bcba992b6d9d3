// SPDX-License-Identifier: Apache-2.0
// Which processes listen on which TCP and UDP ports, in every network namespace that we can look into.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <vector>

namespace atys::linux {

struct ListeningSocket {
  uint16_t port = 0;
  uint64_t inode = 0;
};

enum class PortProtocol { Tcp, Udp };

// Of /proc/net/tcp, tcp6, udp or udp6. A UDP socket listens while it is connected to nobody.
std::vector<ListeningSocket> parse_listening_sockets(std::string_view text, PortProtocol protocol);

struct ListeningPorts {
  std::map<pid_t, std::set<uint16_t>> by_process;
  // Somebody listens there whose files we may not look at.
  std::set<uint16_t> of_unknown;
};

// Looks at the open files of every process: microseconds per file. `wanted` leaves out all other ports; empty: all.
ListeningPorts read_listening_ports(const std::set<uint16_t>& wanted = {});

}  // namespace atys::linux

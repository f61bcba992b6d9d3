// SPDX-License-Identifier: Apache-2.0
#include "linux/listening_ports.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/unique_fd.h"

namespace atys::linux {
namespace {

TEST(listening_sockets, are_told_from_connections) {
  const auto tcp = parse_listening_sockets(
      "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
      "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 12345 1 0 100 0 0 10 0\n"
      "   1: 0100007F:1F90 0100007F:9C40 01 00000000:00000000 00:00000000 00000000     0        0 12346 1 0 20 4 30 10 -1\n"
      "   2: short\n",
      PortProtocol::Tcp);
  ASSERT_EQ(tcp.size(), 1u);
  EXPECT_EQ(tcp[0].port, 8080);
  EXPECT_EQ(tcp[0].inode, 12345u);
  const auto udp6 = parse_listening_sockets(
      "  87: 00000000000000000000000000000000:0035 00000000000000000000000000000000:0000 07 00000000:00000000 00:00000000 "
      "00000000   101        0 777 2 0000000000000000 0\n",
      PortProtocol::Udp);
  ASSERT_EQ(udp6.size(), 1u);
  EXPECT_EQ(udp6[0].port, 53);
}

// A socket on a port that the kernel chooses.
uint16_t bind_any(int fd, int family) {
  sockaddr_in6 six{};
  sockaddr_in four{};
  six.sin6_family = AF_INET6;
  six.sin6_addr = in6addr_loopback;
  four.sin_family = AF_INET;
  four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* address = family == AF_INET6 ? reinterpret_cast<sockaddr*>(&six) : reinterpret_cast<sockaddr*>(&four);
  socklen_t size = family == AF_INET6 ? sizeof six : sizeof four;
  if (::bind(fd, address, size) != 0 || ::getsockname(fd, address, &size) != 0) return 0;
  return ntohs(family == AF_INET6 ? six.sin6_port : four.sin_port);
}

TEST(listening_ports, of_our_own_sockets_are_found) {
  for (const auto& [family, type] : {std::pair{AF_INET, SOCK_STREAM}, {AF_INET, SOCK_DGRAM}, {AF_INET6, SOCK_STREAM}}) {
    const UniqueFd fd(::socket(family, type | SOCK_CLOEXEC, 0));
    if (!fd.is_open() && family == AF_INET6) continue;
    const uint16_t port = bind_any(fd.get(), family);
    if (port == 0 && family == AF_INET6) continue;  // a machine without IPv6
    ASSERT_NE(port, 0);
    if (type == SOCK_STREAM) {
      EXPECT_FALSE(read_listening_ports({port}).by_process.contains(::getpid()));
      ASSERT_EQ(::listen(fd.get(), 1), 0);
    }
    const auto found = read_listening_ports({port}).by_process;
    ASSERT_TRUE(found.contains(::getpid()));
    EXPECT_EQ(found.at(::getpid()), std::set<uint16_t>{port});
  }
}

}  // namespace
}  // namespace atys::linux

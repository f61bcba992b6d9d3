// SPDX-License-Identifier: Apache-2.0
#include "linux/process_sockets.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/unique_fd.h"
#include "linux/socket_diag.h"

namespace atys::linux {
namespace {

constexpr std::string_view kTable =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
    "   0: 0100007F:240D 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1610304 1 x 100 0 0 10 0\n"
    "   1: 0100007F:240D 0100007F:D2A4 01 00000000:00000000 00:00000000 00000000     0        0 1610305 1 x 20 4 30 10 -1\n"
    "   2: 0100007F:D2A4 0100007F:240D 06 00000000:00000000 03:00001732 00000000     0        0 0 3 x\n"
    "   3: garbage\n"
    "   4: 0100007F:ZZZZ 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 7 1 x 100 0 0 10 0\n";

TEST(process_sockets, tells_listeners_from_connections) {
  const auto sockets = parse_tcp_sockets(kTable, false);
  ASSERT_EQ(sockets.size(), 2u);
  EXPECT_TRUE(sockets[0].is_listening && !sockets[0].is_established);
  EXPECT_EQ(sockets[0].local_port, 9229);
  EXPECT_EQ(sockets[0].inode, 1610304u);
  EXPECT_TRUE(sockets[1].is_established && !sockets[1].is_listening);
  EXPECT_EQ(sockets[1].remote_port, 0xd2a4);
}

TEST(process_sockets, finds_what_this_process_listens_on_and_who_is_connected) {
  const UniqueFd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), length), 0);
  ASSERT_EQ(::listen(listener.get(), 1), 0);
  ::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &length);
  const uint16_t port = ntohs(address.sin_port);

  const auto listeners = read_tcp_listeners(::getpid());
  const auto own = read_socket_inodes(::getpid());
  ASSERT_TRUE(listeners.ok() && own.ok());
  const auto found = std::ranges::find(*listeners, port, &TcpSocket::local_port);
  ASSERT_NE(found, listeners->end());
  EXPECT_TRUE(own->contains(found->inode));
  EXPECT_EQ(read_tcp_sockets_at(::getpid(), port)->size(), 1u);

  const UniqueFd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::connect(client.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  const UniqueFd served(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  ASSERT_TRUE(served.is_open());
  const auto sockets = read_tcp_sockets_at(::getpid(), port);
  ASSERT_TRUE(sockets.ok());
  EXPECT_EQ(std::ranges::count(*sockets, true, &TcpSocket::is_established), 1);
}

UniqueFd listening_at_loopback(int family) {
  UniqueFd fd(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  return ::listen(fd.get(), 1) == 0 ? std::move(fd) : UniqueFd();  // at a port that the kernel chooses
}

uint64_t inode_of(const UniqueFd& fd) {
  struct stat status {};
  return ::fstat(fd.get(), &status) == 0 ? status.st_ino : 0;
}

// Who asks for listeners must not pay for a walk over the table of connections.
TEST(process_sockets, the_kernel_is_asked_for_listeners_of_both_families_alone) {
  const UniqueFd four = listening_at_loopback(AF_INET);
  const UniqueFd six = listening_at_loopback(AF_INET6);
  const auto listeners = ask_tcp_listeners();
  if (!listeners.ok()) GTEST_SKIP() << listeners.error().message;
  for (const UniqueFd* fd : {&four, &six}) {
    if (!fd->is_open()) continue;  // a machine without IPv6
    const auto found = std::ranges::find(*listeners, inode_of(*fd), &TcpSocket::inode);
    ASSERT_NE(found, listeners->end());
    EXPECT_TRUE(found->is_listening);
    EXPECT_NE(found->local_port, 0);
    EXPECT_EQ(found->is_ipv6, fd == &six);
  }
  EXPECT_EQ(std::ranges::count(*listeners, false, &TcpSocket::is_listening), 0);
}

TEST(process_sockets, says_so_where_there_is_no_process) {
  EXPECT_FALSE(read_tcp_listeners(-1).ok());
  EXPECT_FALSE(read_socket_inodes(-1).ok());
}

}  // namespace
}  // namespace atys::linux

// SPDX-License-Identifier: Apache-2.0
#include "linux/socket_diag.h"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/unique_fd.h"

namespace atys::linux {

namespace {

constexpr uint32_t kListening = 1U << 10;  // TCP_LISTEN, of the kernel's states
constexpr size_t kMostSockets = 1 << 20;
constexpr timeval kPatience{.tv_sec = 1, .tv_usec = 0};

struct Question {
  nlmsghdr header;
  inet_diag_req_v2 request;
};

Result<> ask(int fd, uint8_t family) {
  Question question{};
  question.header.nlmsg_len = sizeof question;
  question.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  question.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  question.request.sdiag_family = family;
  question.request.sdiag_protocol = IPPROTO_TCP;
  question.request.idiag_states = kListening;
  sockaddr_nl kernel{};
  kernel.nl_family = AF_NETLINK;
  const auto* address = reinterpret_cast<const sockaddr*>(&kernel);
  if (::sendto(fd, &question, sizeof question, 0, address, sizeof kernel) != sizeof question)
    return fail_errno("asking for the sockets that listen");
  return {};
}

// What one message says. True: it was the last.
Result<bool> take(const nlmsghdr& message, std::vector<TcpSocket>& found) {
  if (message.nlmsg_type == NLMSG_DONE) return true;
  if (message.nlmsg_type == NLMSG_ERROR) return fail(ErrorCode::Unsupported, "the kernel does not say which sockets listen");
  if (message.nlmsg_type != SOCK_DIAG_BY_FAMILY || message.nlmsg_len < NLMSG_LENGTH(sizeof(inet_diag_msg))) return false;
  inet_diag_msg socket{};
  std::memcpy(&socket, reinterpret_cast<const char*>(&message) + NLMSG_HDRLEN, sizeof socket);
  if (socket.idiag_inode != 0 && found.size() < kMostSockets)
    found.push_back({.local_port = ntohs(socket.id.idiag_sport),
                     .inode = socket.idiag_inode,
                     .is_listening = true,
                     .is_ipv6 = socket.idiag_family == AF_INET6});
  return false;
}

Result<> listen_for_answer(int fd, std::vector<TcpSocket>& found) {
  alignas(nlmsghdr) std::array<char, 32768> block;
  for (;;) {
    const ssize_t got = ::recv(fd, block.data(), block.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return fail_errno("reading the sockets that listen");
    for (size_t at = 0; at + sizeof(nlmsghdr) <= static_cast<size_t>(got);) {
      const auto& message = *reinterpret_cast<const nlmsghdr*>(block.data() + at);
      if (message.nlmsg_len < sizeof(nlmsghdr) || message.nlmsg_len > static_cast<size_t>(got) - at) break;
      if (TRY(take(message, found))) return {};
      at += NLMSG_ALIGN(message.nlmsg_len);
    }
  }
}

}  // namespace

Result<std::vector<TcpSocket>> ask_tcp_listeners() {
  const UniqueFd fd(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  if (!fd.is_open()) return fail_errno("asking for the sockets that listen");
  ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
  std::vector<TcpSocket> found;
  for (const uint8_t family : {AF_INET, AF_INET6}) {
    TRY(ask(fd.get(), family));
    TRY(listen_for_answer(fd.get(), found));
  }
  return found;
}

}  // namespace atys::linux

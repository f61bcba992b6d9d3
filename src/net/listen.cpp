// SPDX-License-Identifier: Apache-2.0
#include "net/listen.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <memory>

namespace atys::net {

namespace {

constexpr size_t kReserved = 256;  // files of the store above all

Error cannot_listen(const std::string& address, int port, const std::string& why) {
  return fail(ErrorCode::Unavailable, fmt::format("cannot listen on {}:{}: {}", address, port, why),
              "is the address one of this machine, and the port free? port 0 takes any that is free");
}

int port_of(int socket) {
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&bound), &size) != 0) return 0;
  if (bound.ss_family == AF_INET6) return ntohs(reinterpret_cast<sockaddr_in6*>(&bound)->sin6_port);
  return ntohs(reinterpret_cast<sockaddr_in*>(&bound)->sin_port);
}

}  // namespace

Result<Listening> listen_on(const std::string& address, int port) {
  addrinfo wanted{};
  wanted.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(address.c_str(), std::to_string(port).c_str(), &wanted, &found); error != 0)
    return cannot_listen(address, port, ::gai_strerror(error));
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, &::freeaddrinfo);
  std::string why = "it has no address";
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    UniqueFd socket(::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const int yes = 1;
    // Without SO_REUSEPORT: another process is not to share our port, nor we one of another.
    const bool is_bound = socket.is_open() && ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
                          ::bind(socket.get(), one->ai_addr, one->ai_addrlen) == 0 && ::listen(socket.get(), SOMAXCONN) == 0;
    if (is_bound) {
      const int bound = port_of(socket.get());
      return Listening{std::move(socket), bound};
    }
    why = std::strerror(errno);
  }
  return cannot_listen(address, port, why);
}

size_t raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  if (limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
    ::getrlimit(RLIMIT_NOFILE, &limit);
  }
  return limit.rlim_cur;
}

size_t descriptors_for_connections(bool is_http2) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return kReserved;
  const size_t all = limit.rlim_cur;
  const size_t quarter = (all - std::min(kReserved, all / 2)) / 4;
  return std::max<size_t>(16, is_http2 ? 3 * quarter : quarter);
}

}  // namespace atys::net

// SPDX-License-Identifier: Apache-2.0
#include "capture/node/loopback_stream.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>

#include <cerrno>
#include <thread>

#include "base/clock.h"
#include "linux/namespaces.h"

namespace atys::capture::node {

namespace {

constexpr int kSocketType = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;

// A socket stays in the network namespace that it was made in; a thread may change its own without changing ours.
Result<UniqueFd> socket_in_namespace_of(pid_t pid, int family) {
  const UniqueFd target(::open(fmt::format("/proc/{}/ns/net", pid).c_str(), O_RDONLY | O_CLOEXEC));
  if (!target.is_open()) return fail_errno(fmt::format("opening the network namespace of process {}", pid));
  Result<UniqueFd> made = fail(ErrorCode::Internal, "no socket was made");
  std::thread([&] {
    if (::setns(target.get(), CLONE_NEWNET) != 0) {
      made = fail_errno(fmt::format("entering the network namespace of process {}", pid));
      return;
    }
    UniqueFd fd(::socket(family, kSocketType, 0));
    if (fd.is_open())
      made = std::move(fd);
    else
      made = fail_errno("making a socket");
  }).join();
  return made;
}

Result<UniqueFd> make_socket(pid_t pid, int family) {
  if (linux::foreign_namespaces(pid).net) return socket_in_namespace_of(pid, family);
  UniqueFd fd(::socket(family, kSocketType, 0));
  if (!fd.is_open()) return fail_errno("making a socket");
  return fd;
}

int connect_to_loopback(int fd, uint16_t port, bool is_ipv6) {
  if (is_ipv6) {
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    address.sin6_port = htons(port);
    address.sin6_addr = in6addr_loopback;
    return ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  }
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

}  // namespace

Deadline Deadline::in_ms(uint64_t ms) { return {clock_ns(CLOCK_MONOTONIC) + ms * 1'000'000}; }

bool Deadline::is_over() const { return clock_ns(CLOCK_MONOTONIC) >= at_ns; }

int Deadline::left_ms() const {
  const uint64_t now = clock_ns(CLOCK_MONOTONIC);
  return now >= at_ns ? 0 : static_cast<int>((at_ns - now) / 1'000'000 + 1);
}

uint16_t LoopbackStream::local_port() const {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  if (::getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&address), &length) != 0) return 0;
  // The port lies at the same place in both families.
  return ntohs(reinterpret_cast<const sockaddr_in*>(&address)->sin_port);
}

Result<LoopbackStream> LoopbackStream::connect(pid_t pid, uint16_t port, bool is_ipv6, Deadline deadline) {
  LoopbackStream stream(TRY(make_socket(pid, is_ipv6 ? AF_INET6 : AF_INET)));
  const int fd = stream.fd_.get();
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  const std::string what = fmt::format("connecting to port {} of process {}", port, pid);
  if (connect_to_loopback(fd, port, is_ipv6) != 0) {
    if (errno != EINPROGRESS) return fail_errno(what);
    TRY(stream.wait_for(POLLOUT, deadline));
    socklen_t length = sizeof errno;
    int error = 0;
    if (::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) != 0) return fail_errno(what);
    errno = error;
    if (error != 0) return fail_errno(what);
  }
  return stream;
}

Result<> LoopbackStream::wait_for(short events, Deadline deadline) const {
  pollfd poll_fd{.fd = fd_.get(), .events = events, .revents = 0};
  while (true) {
    const int ready = ::poll(&poll_fd, 1, deadline.left_ms());
    if (ready > 0) return {};
    if (ready < 0 && errno != EINTR) return fail_errno("waiting for the inspector");
    if (ready == 0 && deadline.is_over())
      return fail(ErrorCode::Unavailable, "the inspector does not answer in time",
                  "its main thread is stuck in native code, stopped or overloaded; try again later");
  }
}

Result<> LoopbackStream::write(std::string_view bytes, Deadline deadline) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<size_t>(sent));
    } else if (errno == EAGAIN) {
      TRY(wait_for(POLLOUT, deadline));
    } else if (errno != EINTR) {
      return fail_errno("writing to the inspector");
    }
  }
  return {};
}

void LoopbackStream::end_writing() { ::shutdown(fd_.get(), SHUT_WR); }

Result<size_t> LoopbackStream::read_available(std::string& into) {
  char block[65536];
  while (true) {
    const ssize_t got = ::recv(fd_.get(), block, sizeof block, 0);
    if (got > 0) {
      into.append(block, static_cast<size_t>(got));
      return static_cast<size_t>(got);
    }
    if (got == 0) return fail(ErrorCode::Unavailable, "the inspector closed the connection");
    if (errno == EAGAIN) return size_t{0};
    if (errno != EINTR) return fail_errno("reading from the inspector");
  }
}

Result<> LoopbackStream::read_some(std::string& into, Deadline deadline) {
  while (TRY(read_available(into)) == 0) TRY(wait_for(POLLIN, deadline));
  return {};
}

}  // namespace atys::capture::node

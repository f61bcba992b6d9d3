// SPDX-License-Identifier: Apache-2.0
#include "linux/process_sockets.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "base/unique_fd.h"
#include "linux/namespaces.h"
#include "linux/proc_text.h"
#include "linux/socket_diag.h"

namespace atys::linux {

namespace {

constexpr size_t kMostBytes = size_t{64} << 20;
constexpr std::string_view kListen = "0A";
constexpr std::string_view kEstablished = "01";

// Calls `use` with each socket of the file until it says that it has seen enough.
template <typename Use>
Result<> for_each_socket_in(const std::string& path, bool is_ipv6, const Use& use) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.is_open()) return errno == ENOENT && is_ipv6 ? Result<>() : fail_errno("opening " + path);
  std::string text;  // what was read and is not a whole line yet
  char block[65536];
  for (size_t total = 0; total < kMostBytes;) {
    const ssize_t got = ::read(fd.get(), block, sizeof block);
    if (got < 0) return fail_errno("reading " + path);
    if (got == 0) break;
    total += static_cast<size_t>(got);
    text.append(block, static_cast<size_t>(got));
    const size_t end = text.rfind('\n');
    if (end == std::string::npos) continue;
    if (!use(parse_tcp_sockets(std::string_view(text).substr(0, end), is_ipv6))) break;
    text.erase(0, end + 1);
  }
  return {};
}

template <typename Use>
Result<> for_each_socket_seen_by(pid_t pid, const Use& use) {
  const std::string folder = "/proc/" + std::to_string(pid) + "/net/";
  TRY(for_each_socket_in(folder + "tcp", false, use));
  return for_each_socket_in(folder + "tcp6", true, use);
}

}  // namespace

std::vector<TcpSocket> parse_tcp_sockets(std::string_view text, bool is_ipv6) {
  std::vector<TcpSocket> sockets;
  for_each_line(text, [&](std::string_view line) {
    // sl local_address rem_address st tx:rx tr:when retransmits uid timeout inode …
    const auto words = words_of(line);
    if (words.size() < 10) return;
    const auto port_of = [](std::string_view address) {
      const size_t colon = address.rfind(':');
      return colon == std::string_view::npos ? std::nullopt : parse_number<uint16_t>(address.substr(colon + 1), 16);
    };
    const auto local = port_of(words[1]);
    const auto remote = port_of(words[2]);
    const auto inode = parse_number<uint64_t>(words[9]);
    if (!local || !remote || inode.value_or(0) == 0) return;
    sockets.push_back({*local, *remote, *inode, words[3] == kListen, words[3] == kEstablished, is_ipv6});
  });
  return sockets;
}

Result<std::vector<TcpSocket>> read_tcp_listeners(pid_t pid) {
  const uint64_t theirs = read_namespaces(pid).net;
  if (theirs != 0 && theirs == read_namespaces(::getpid()).net)
    if (auto listeners = ask_tcp_listeners(); listeners.ok()) return listeners;
  std::vector<TcpSocket> found;
  // The kernel lists those that listen first, so a server with a million connections costs no more than its listeners.
  TRY(for_each_socket_seen_by(pid, [&](const std::vector<TcpSocket>& sockets) {
    const size_t before = found.size();
    for (const TcpSocket& socket : sockets)
      if (socket.is_listening) found.push_back(socket);
    return found.size() > before;
  }));
  return found;
}

Result<std::vector<TcpSocket>> read_tcp_sockets_at(pid_t pid, uint16_t port) {
  std::vector<TcpSocket> found;
  TRY(for_each_socket_seen_by(pid, [&](const std::vector<TcpSocket>& sockets) {
    for (const TcpSocket& socket : sockets)
      if (socket.local_port == port) found.push_back(socket);
    return true;
  }));
  return found;
}

Result<std::set<uint64_t>> read_socket_inodes(pid_t pid) {
  const std::string folder = "/proc/" + std::to_string(pid) + "/fd";
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::opendir(folder.c_str()), ::closedir);
  if (stream == nullptr) return fail_errno("looking at the open files of process " + std::to_string(pid));
  std::set<uint64_t> inodes;
  while (const dirent* entry = ::readdir(stream.get())) {
    char link[64];
    const ssize_t length = ::readlinkat(::dirfd(stream.get()), entry->d_name, link, sizeof link);
    if (length <= 0) continue;
    const std::string_view text(link, static_cast<size_t>(length));
    if (text.starts_with("socket:")) inodes.insert(parse_namespace_link(text));
  }
  return inodes;
}

}  // namespace atys::linux

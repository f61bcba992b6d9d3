// SPDX-License-Identifier: Apache-2.0
#include "linux/listening_ports.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "base/unique_fd.h"
#include "linux/namespaces.h"
#include "linux/proc_file.h"
#include "linux/proc_text.h"
#include "linux/process.h"

namespace atys::linux {

namespace {

constexpr std::string_view kTcpListen = "0A";
constexpr std::string_view kUdpUnconnected = "07";
constexpr size_t kMostUdpBytes = size_t{64} << 20;

using PortsByInode = std::unordered_map<uint64_t, uint16_t>;

// The kernel lists those that listen first, so a server with a million connections costs no more than its listeners.
std::string read_tcp_listeners(const std::string& path) {
  std::string text;
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  char block[16384];
  while (fd.is_open()) {
    const ssize_t got = ::read(fd.get(), block, sizeof block);
    if (got <= 0) break;
    text.append(block, static_cast<size_t>(got));
    // A block of connections only: the listeners are over.
    if (text.size() > 2 * sizeof block &&
        parse_listening_sockets(std::string_view(block, static_cast<size_t>(got)), PortProtocol::Tcp).empty())
      break;
  }
  return text;
}

PortsByInode sockets_seen_by(pid_t pid, const std::set<uint16_t>& wanted) {
  PortsByInode ports;
  const std::string folder = "/proc/" + std::to_string(pid) + "/net/";
  const auto add = [&](std::string_view text, PortProtocol protocol) {
    for (const ListeningSocket& socket : parse_listening_sockets(text, protocol))
      if (wanted.empty() || wanted.contains(socket.port)) ports.emplace(socket.inode, socket.port);
  };
  for (const char* file : {"tcp", "tcp6"}) add(read_tcp_listeners(folder + file), PortProtocol::Tcp);
  for (const char* file : {"udp", "udp6"})
    if (const auto text = read_proc_file(folder + file, kMostUdpBytes); text.ok()) add(*text, PortProtocol::Udp);
  return ports;
}

// The inodes of the sockets that a process has open; nothing where we may not look.
template <typename Use>
void for_each_socket_of(pid_t pid, const Use& use) {
  const std::string folder = "/proc/" + std::to_string(pid) + "/fd";
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::opendir(folder.c_str()), ::closedir);
  if (stream == nullptr) return;
  while (const dirent* entry = ::readdir(stream.get())) {
    char link[64];
    const ssize_t length = ::readlinkat(::dirfd(stream.get()), entry->d_name, link, sizeof link);
    if (length <= 0) continue;
    const std::string_view text(link, static_cast<size_t>(length));
    if (text.starts_with("socket:")) use(parse_namespace_link(text));
  }
}

}  // namespace

std::vector<ListeningSocket> parse_listening_sockets(std::string_view text, PortProtocol protocol) {
  std::vector<ListeningSocket> sockets;
  for_each_line(text, [&](std::string_view line) {
    // sl local_address rem_address st tx:rx tr:when retransmits uid timeout inode …
    const auto words = words_of(line);
    if (words.size() < 10 || words[3] != (protocol == PortProtocol::Tcp ? kTcpListen : kUdpUnconnected)) return;
    const size_t colon = words[1].rfind(':');
    if (colon == std::string_view::npos) return;
    const auto port = parse_number<uint16_t>(words[1].substr(colon + 1), 16);
    const auto inode = parse_number<uint64_t>(words[9]);
    if (port && inode && *inode != 0) sockets.push_back({*port, *inode});
  });
  return sockets;
}

ListeningPorts read_listening_ports(const std::set<uint16_t>& wanted) {
  ListeningPorts found;
  std::unordered_map<uint64_t, PortsByInode> by_namespace;
  std::unordered_map<uint64_t, std::unordered_set<uint64_t>> owned;
  // Our own first: its sockets can be listed whoever owns them.
  const uint64_t ours = read_namespaces(::getpid()).net;
  by_namespace.emplace(ours, sockets_seen_by(::getpid(), wanted));
  for (const pid_t pid : list_processes()) {
    const uint64_t net = read_namespaces(pid).net;
    if (net == 0) continue;
    const auto [at, is_new] = by_namespace.try_emplace(net);
    if (is_new) at->second = sockets_seen_by(pid, wanted);
    const auto& sockets = at->second;
    if (sockets.empty()) continue;
    for_each_socket_of(pid, [&](uint64_t inode) {
      const auto socket = sockets.find(inode);
      if (socket == sockets.end()) return;
      found.by_process[pid].insert(socket->second);
      owned[net].insert(inode);
    });
  }
  for (const auto& [net, ports] : by_namespace)
    for (const auto& [inode, port] : ports)
      if (!owned[net].contains(inode)) found.of_unknown.insert(port);
  return found;
}

}  // namespace atys::linux

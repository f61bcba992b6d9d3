// SPDX-License-Identifier: Apache-2.0
#include "capture/node/inspector_checks.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>

#include "capture/node/cluster.h"
#include "linux/listening_ports.h"
#include "linux/namespaces.h"
#include "linux/proc_text.h"
#include "linux/process.h"

namespace atys::capture::node {

namespace {

using linux::TcpSocket;

constexpr int kFirstSafeV8 = 8;  // Node.js 14
constexpr int kFirstToMove = 9;  // Node.js 16
constexpr double kYoungSeconds = 5;
constexpr double kOldSeconds = 60;
constexpr double kStartCpuSeconds = 0.5;

// That one, or a later one; an unknown version is a new one.
bool is_v8(std::string_view version, int first_major) {
  const auto major = linux::parse_number<int>(version.substr(0, version.find('.')));
  return !major || *major >= first_major;
}

bool is_young(const NodeProcess& process) {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  const double started = static_cast<double>(process.start_time_ticks) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  const auto cpu_ns = linux::cpu_time_ns(process.pid);
  return cpu_ns.ok() && may_be_starting(static_cast<double>(now.tv_sec) - started, static_cast<double>(*cpu_ns) / 1e9);
}

// Who listens there, if that can be told: "process 42 (node)".
std::string holder_of(const NodeProcess& process) {
  const uint64_t net = linux::read_namespaces(process.pid).net;
  for (const auto& [pid, ports] : linux::read_listening_ports({process.options.port}).by_process) {
    if (linux::read_namespaces(pid).net != net) continue;
    const auto name = linux::thread_name(pid, pid);
    return fmt::format("process {} ({})", pid, name.ok() ? *name : "?");
  }
  return "another process";
}

}  // namespace

Result<> check_alive(const NodeProcess& process) {
  if (linux::is_alive(process.pid, process.start_time_ticks)) return {};
  return fail(ErrorCode::NotFound, fmt::format("process {} has ended", process.pid));
}

bool may_change(SignalUse use, const NodeProcess& process) {
  return (use == SignalUse::None || use == SignalUse::Blocked) && is_young(process) && !process.options.has_signal_off;
}

Result<std::optional<TcpSocket>> open_inspector(const NodeProcess& process) {
  std::optional<TcpSocket> none;
  const auto listeners = TRY(linux::read_tcp_listeners(process.pid));
  const auto at_port = [&](const TcpSocket& socket) { return socket.local_port == process.options.port; };
  if (std::ranges::none_of(listeners, at_port)) return none;
  const auto own = TRY(linux::read_socket_inodes(process.pid));
  const auto found = std::ranges::find_if(
      listeners, [&](const TcpSocket& socket) { return at_port(socket) && own.contains(socket.inode); });
  return found == listeners.end() ? none : std::optional<TcpSocket>(*found);
}

Result<bool> is_port_taken(const NodeProcess& process) {
  if (process.options.port == 0) return false;
  const auto listeners = TRY(linux::read_tcp_listeners(process.pid));
  return std::ranges::count(listeners, process.options.port, &TcpSocket::local_port) > 0;
}

Error port_taken(const NodeProcess& process) {
  return fail(ErrorCode::Unavailable,
              fmt::format("the inspector of process {} cannot be opened: {} listens on port {}", process.pid,
                          holder_of(process), process.options.port),
              "wait until that one gives it back, or start this one with --inspect-port=0");
}

Result<> check_no_primary(const NodeProcess& process) {
  if (process.is_cluster_worker || cluster_workers(process.pid).empty()) return {};
  return fail(ErrorCode::Unsupported,
              "it is the primary of a cluster, and Node.js would open the inspectors of all its workers with its own",
              "record the workers; or start it with --inspect=127.0.0.1:PORT or --perf-basic-prof");
}

Result<> check_unused(const NodeProcess& process, const TcpSocket& listener) {
  const auto sockets = TRY(linux::read_tcp_sockets_at(process.pid, listener.local_port));
  const auto own = TRY(linux::read_socket_inodes(process.pid));
  for (const TcpSocket& socket : sockets)
    if (socket.is_established && own.contains(socket.inode))
      return fail(ErrorCode::Unavailable, fmt::format("a debugger is attached to the inspector of process {}", process.pid),
                  "close it, then try again");
  return {};
}

Result<> check_running(const NodeProcess& process) {
  const linux::ProcessInfo info = TRY(linux::read_process(process.pid));
  if (info.state != 'T' && info.state != 't') return {};
  return fail(ErrorCode::Unavailable, fmt::format("process {} is stopped", process.pid),
              "let it go on (SIGCONT), then try again");
}

Result<> check_known_port(const NodeProcess& process) {
  if (!process.options.is_open || process.options.port != 0) return {};
  return fail(ErrorCode::Unsupported,
              fmt::format("the inspector of process {} is open on a port that it chose by itself", process.pid),
              "start it with --inspect=127.0.0.1:PORT, or with --inspect-port=0 alone");
}

Result<> explain(SignalUse use, const NodeProcess& process) {
  const auto refuse = [&](std::string_view why, std::string_view what_to_do) {
    return fail(ErrorCode::Unsupported, fmt::format("the inspector of process {} cannot be opened: {}", process.pid, why),
                std::string(what_to_do));
  };
  constexpr std::string_view kRestart = "start it with --perf-basic-prof, or with --inspect=127.0.0.1:PORT";
  switch (use) {
    case SignalUse::OpensInspector: return {};
    case SignalUse::None:
      return refuse(process.options.has_signal_off ? "it was started with --disable-sigusr1"
                                                   : "it has no handler for SIGUSR1, which would kill it",
                    kRestart);
    case SignalUse::Blocked: return refuse("it ignores or blocks SIGUSR1", kRestart);
    case SignalUse::OfProgram: return refuse("the program itself listens for SIGUSR1", kRestart);
    case SignalUse::NotNode: return refuse("it runs V8, but is not Node.js", "");
    case SignalUse::Unknown: return refuse("its memory cannot be read, to see what SIGUSR1 does to it", "run as root");
  }
  return {};
}

bool survives_profiling(std::string_view v8_version) { return is_v8(v8_version, kFirstSafeV8); }

bool can_move_inspector(const NodeProcess& process) { return is_v8(process.v8_version, kFirstToMove); }

bool may_be_starting(double age_seconds, double cpu_seconds) {
  return age_seconds < kYoungSeconds || (age_seconds < kOldSeconds && cpu_seconds < kStartCpuSeconds);
}

Result<NodeProcess> look_at_process(pid_t pid, const std::string& runtime_file) {
  const linux::ProcessInfo info = TRY(linux::read_process(pid));
  const auto read = linux::read_environment(pid);
  const std::vector<std::string> environment = read.ok() ? *read : std::vector<std::string>();
  return NodeProcess{.pid = pid,
                     .start_time_ticks = info.start_time_ticks,
                     .runtime_file = runtime_file,
                     .options = parse_inspector_options(info.command_line, environment),
                     .is_cluster_worker = is_worker_environment(environment)};
}

Result<> check_inspector(const NodeProcess& process) {
  TRY(check_known_port(process));
  TRY(check_running(process));
  if (const auto listener = TRY(open_inspector(process))) return check_unused(process, *listener);
  TRY(check_no_primary(process));
  const SignalUse use = TRY(read_signal_use(process.pid, process.runtime_file));
  return may_change(use, process) ? Result<>() : explain(use, process);
}

}  // namespace atys::capture::node

// SPDX-License-Identifier: Apache-2.0
#include "capture/java/attach_client.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/clock.h"
#include "capture/java/attach_trigger.h"
#include "capture/target/process_files.h"
#include "linux/cgroup.h"
#include "linux/proc_file.h"
#include "linux/proc_text.h"
#include "linux/run_as.h"

namespace atys::capture::java {

namespace {

constexpr uint64_t kMillisecond = 1'000'000;
constexpr int kLookAgainMs = 20;  // whether the end has come nearer
constexpr size_t kLargestReply = size_t{1} << 20;
constexpr size_t kLongestArgument = 1024;  // HotSpot's own limit

uint64_t now_ns() { return clock_ns(CLOCK_MONOTONIC); }

void sleep_ns(uint64_t ns) {
  const timespec time{static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
  ::nanosleep(&time, nullptr);
}

bool is_frozen_group(const std::string& file, std::string_view word) {
  const auto text = linux::read_proc_file(file, 4096);
  return text.ok() && text->find(word) != std::string::npos;
}

// Version 1 has a tree of its own for it, by custom mounted under the name of the controller.
bool is_frozen(const linux::ProcessInfo& info) {
  const auto groups = linux::read_proc_file(fmt::format("/proc/{}/cgroup", info.pid));
  for (const linux::CgroupHierarchy& hierarchy : linux::cgroup_hierarchies()) {
    if (hierarchy.is_unified && is_frozen_group(hierarchy.mount + info.cgroup + "/cgroup.events", "frozen 1")) return true;
    if (!groups.ok() || !hierarchy.mount.ends_with("/freezer")) continue;
    constexpr std::string_view kController = ":freezer:";
    const size_t at = groups->find(kController);
    if (at == std::string::npos) continue;
    const size_t begin = at + kController.size();
    const std::string group = groups->substr(begin, groups->find('\n', begin) - begin);
    // FREEZING: not all of its threads have arrived there
    if (is_frozen_group(fmt::format("{}{}/freezer.state", hierarchy.mount, group), "FR")) return true;
  }
  return false;
}

std::string message_of(std::string_view name, const AttachClient::Arguments& arguments) {
  std::string message("1\0", 2);
  message.append(name).push_back('\0');
  for (const std::string& argument : arguments) message.append(argument).push_back('\0');
  return message;
}

// The socket's listener is told by the kernel: a file of the right name proves nothing.
Result<> check_peer(int fd, const linux::ProcessInfo& info) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return fail_errno("asking who listens");
  if (peer.pid != info.pid)
    return fail(
        ErrorCode::PermissionDenied,
        fmt::format("/tmp/.java_pid{} is a socket of process {}, not of {}", info.pid_in_namespace, peer.pid, info.pid),
        "remove that file: somebody left or planted it");
  return {};
}

// The file that was checked, whatever its name is by now; and names longer than 108 bytes do not fit. Errno of the failure.
int connect_socket(int fd, const UniqueFd& file) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  fmt::format_to_n(address.sun_path, sizeof address.sun_path - 1, "/proc/self/fd/{}", file.get());
  return ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ? 0 : errno;
}

UniqueFd make_socket() { return UniqueFd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)); }

Result<UniqueFd> connect_to(const UniqueFd& file, const linux::ProcessInfo& info) {
  UniqueFd fd = make_socket();
  if (!fd.is_open()) return fail_errno("making a socket");
  if ((errno = connect_socket(fd.get(), file)) != 0)
    return fail_errno(fmt::format("connecting to /tmp/.java_pid{}", info.pid_in_namespace));
  TRY(check_peer(fd.get(), info));
  return fd;
}

}  // namespace

Result<AttachReply> parse_reply(std::string_view bytes) {
  if (bytes.empty()) return fail(ErrorCode::NotFound, "the Java machine ended before it answered");
  const size_t line = bytes.find('\n');
  const auto code = linux::parse_number<int>(bytes.substr(0, line));
  if (!code) return fail(ErrorCode::InvalidInput, "the answer of the Java machine does not begin with a number");
  return AttachReply{*code, line == std::string_view::npos ? "" : std::string(bytes.substr(line + 1))};
}

Result<AttachClient> AttachClient::create(const JavaProcess& process, const Limits& limits) {
  const linux::ProcessInfo& info = process.info;
  if (process.has(kDisableAttach))
    return fail(ErrorCode::Unsupported,
                fmt::format("process {} was started with -XX:+DisableAttachMechanism: it takes no orders", info.pid),
                "start it without that option");
  AttachClient client;
  client.info_ = info;
  client.limits_ = limits;
  client.pidfd_.reset(static_cast<int>(::syscall(SYS_pidfd_open, info.pid, 0)));
  if (!client.pidfd_.is_open()) return fail_errno(fmt::format("watching process {}", info.pid));
  client.temp_ = open_in_root(info.pid, "/tmp", O_PATH | O_DIRECTORY);
  if (!client.temp_.is_open()) return fail_errno(fmt::format("opening /tmp of process {}", info.pid));
  client.working_.reset(::open(fmt::format("/proc/{}/cwd", info.pid).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  TRY(client.check_target());
  return client;
}

Result<> AttachClient::check_target() const {
  if (!linux::is_alive(info_.pid, info_.start_time_ticks))
    return fail(ErrorCode::NotFound, fmt::format("process {} has ended", info_.pid));
  const auto now = TRY(linux::read_process(info_.pid));
  if (now.state == 'T' || now.state == 't' || is_frozen(now))
    return fail(ErrorCode::Unavailable,
                fmt::format("process {} is {}: it cannot answer", info_.pid,
                            now.state == 'T' || now.state == 't' ? "stopped" : "frozen"),
                "let it run again first");
  return {};
}

Result<AttachReply> AttachClient::command(std::string_view name, const Arguments& arguments) const {
  for (const std::string& argument : arguments)
    if (argument.size() >= kLongestArgument || argument.find('\0') != std::string::npos)
      return fail(ErrorCode::InvalidInput, "an argument of a command for the Java machine is too long: " + argument);
  TRY(check_target());
  if (is_over(UINT64_MAX)) return fail(ErrorCode::Unavailable, "there is no time left to ask the Java machine");
  remove_dead_socket();
  std::string bytes;
  TRY(linux::run_as(info_.uid, info_.gid, [&]() -> Result<> {
    bytes = TRY(exchange(message_of(name, arguments)));
    return {};
  }));
  return parse_reply(bytes);
}

Result<std::string> AttachClient::exchange(const std::string& message) const {
  auto connected = connect_once();
  const UniqueFd fd = connected.ok() ? connected.take() : TRY(wake());
  const uint64_t deadline = now_ns() + limits_.answer_ns;
  TRY(send_all(fd.get(), message, deadline));
  return receive_all(fd.get(), deadline);
}

bool AttachClient::is_over(uint64_t deadline_ns) const {
  const uint64_t now = now_ns();
  return now >= deadline_ns || (limits_.latest_ns != nullptr && now >= limits_.latest_ns->load());
}

bool AttachClient::wait_for(int fd, short events, uint64_t deadline_ns) const {
  for (;;) {
    pollfd one{fd, events, 0};
    const int ready = ::poll(&one, 1, kLookAgainMs);
    if (ready > 0) return true;
    if ((ready < 0 && errno != EINTR) || is_over(deadline_ns)) return false;
  }
}

Result<> AttachClient::send_all(int fd, std::string_view bytes, uint64_t deadline_ns) const {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<size_t>(sent));
    } else if (errno == EAGAIN) {
      if (!wait_for(fd, POLLOUT, deadline_ns)) return no_answer();
    } else if (errno != EINTR) {
      return fail_errno("sending to the Java machine");
    }
  }
  return {};
}

Result<std::string> AttachClient::receive_all(int fd, uint64_t deadline_ns) const {
  std::string reply;
  std::array<char, 4096> buffer{};
  for (;;) {
    const ssize_t got = ::recv(fd, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got == 0) return reply;
    if (got > 0) {
      reply.append(buffer.data(), static_cast<size_t>(got));
      if (reply.size() > kLargestReply)
        return fail(ErrorCode::ResourceExhausted, fmt::format("the answer is longer than {} bytes", kLargestReply));
    } else if (errno == EAGAIN) {
      if (!wait_for(fd, POLLIN, deadline_ns)) return no_answer();
    } else if (errno != EINTR) {
      return fail_errno("reading the answer of the Java machine");
    }
  }
}

Result<UniqueFd> AttachClient::connect_once() const {
  const std::string name = fmt::format(".java_pid{}", info_.pid_in_namespace);
  const UniqueFd file(::openat(temp_.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  if (!file.is_open() || ::fstat(file.get(), &status) != 0) return fail_errno("opening /tmp/" + name);
  if (!S_ISSOCK(status.st_mode)) return fail(ErrorCode::PermissionDenied, "/tmp/" + name + " is not a socket");
  if (status.st_uid != info_.uid)
    return fail(ErrorCode::PermissionDenied, "/tmp/" + name + " belongs to another user than the process");
  return connect_to(file, info_);
}

// A machine of another user that was killed left its socket, and the pid came round. HotSpot may not replace that file, so
// it would never listen; who has the rights may: a socket that nobody listens at is only a name.
void AttachClient::remove_dead_socket() const {
  const std::string name = fmt::format(".java_pid{}", info_.pid_in_namespace);
  const UniqueFd file(::openat(temp_.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  if (!file.is_open() || ::fstat(file.get(), &status) != 0 || !S_ISSOCK(status.st_mode) || status.st_uid == info_.uid)
    return;
  const UniqueFd fd = make_socket();
  if (fd.is_open() && connect_socket(fd.get(), file) == ECONNREFUSED) ::unlinkat(temp_.get(), name.c_str(), 0);
}

Result<UniqueFd> AttachClient::connect_until(uint64_t deadline_ns) const {
  uint64_t pause = kMillisecond;
  for (;;) {
    auto connected = connect_once();
    if (connected.ok() || is_over(deadline_ns)) return connected;
    if (has_ended()) return fail(ErrorCode::NotFound, fmt::format("process {} has ended", info_.pid));
    sleep_ns(pause);
    pause = std::min(pause * 2, 50 * kMillisecond);
  }
}

bool AttachClient::has_ended() const {
  pollfd ended{pidfd_.get(), POLLIN, 0};
  return ::poll(&ended, 1, 0) > 0;
}

// A machine that handles SIGQUIT and finds the file listens from then on; on all others the signal does harm. One that is
// just starting handles it a little later, so it is worth asking again.
Result<> AttachClient::may_signal() const {
  const std::string status = TRY(linux::read_proc_file(fmt::format("/proc/{}/status", info_.pid), size_t{1} << 20));
  const auto caught = linux::parse_number<uint64_t>(linux::value_of(status, "SigCgt"), 16);
  if (caught && (*caught >> (SIGQUIT - 1) & 1) != 0) return {};
  return fail(
      ErrorCode::Unavailable, fmt::format("process {} does not handle SIGQUIT, so it cannot be asked to listen", info_.pid),
      "it only just started, or its socket was deleted and it runs with -Xrs: try again, or start it without that option");
}

Result<UniqueFd> AttachClient::wake() const {
  TRY(may_signal());
  AttachTrigger trigger = TRY(AttachTrigger::create({&temp_, &working_}, info_));
  if (::syscall(SYS_pidfd_send_signal, pidfd_.get(), SIGQUIT, nullptr, 0) != 0)
    return fail_errno(fmt::format("sending SIGQUIT to process {}", info_.pid));
  auto connected = connect_until(now_ns() + limits_.wake_ns);
  if (connected.ok()) return connected;
  if (connected.error().code == ErrorCode::PermissionDenied || has_ended()) return connected;
  // A signal that still waits for a process that does not run would find no file, and print all threads.
  if (trigger.is_signal_pending()) trigger.leave();
  return does_not_listen();
}

Error AttachClient::no_answer() const {
  return fail(ErrorCode::Unavailable, "no answer of the Java machine in time",
              "see whether the process is stopped, frozen or in a long pause, and try again");
}

Error AttachClient::does_not_listen() const {
  return fail(ErrorCode::Unavailable, fmt::format("process {} was asked to listen and does not", info_.pid),
              "see whether it is stopped, frozen or in a long pause, and try again");
}

}  // namespace atys::capture::java

// SPDX-License-Identifier: Apache-2.0
#include "capture/node/inspector_door.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "capture/node/cluster.h"
#include "capture/node/inspector_words.h"
#include "capture/node/signal_handler.h"
#include "linux/namespaces.h"
#include "linux/proc_text.h"
#include "linux/process.h"
#include "linux/process_sockets.h"

namespace atys::capture::node {

namespace {

using linux::TcpSocket;

constexpr uint64_t kCloseMs = 3000;
constexpr uint64_t kSettleMs = 1000;
constexpr uint64_t kOthersMs = 1000;
constexpr int kMostOpenings = 4;
constexpr int kQuietLooks = 4;
constexpr uint64_t kDeadlineMs = 15'000;  // longer than a process may take to answer, see NodeRecorder
constexpr uint64_t kPostMs = 100;

// By a descriptor: the number may be another process's by now.
Result<> send_signal(const NodeProcess& process) {
  const UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, process.pid, 0)));
  if (!pidfd.is_open()) return fail_errno(fmt::format("process {}", process.pid));
  TRY(check_alive(process));
  if (::syscall(SYS_pidfd_send_signal, pidfd.get(), SIGUSR1, nullptr, 0) != 0)
    return fail_errno(fmt::format("sending SIGUSR1 to process {}", process.pid));
  return {};
}

// What listens now, belongs to the process and did not listen before; 0: at any port.
Result<std::optional<TcpSocket>> new_listener(pid_t pid, const std::vector<TcpSocket>& before, uint16_t port) {
  std::optional<TcpSocket> none;
  std::vector<TcpSocket> fresh;
  for (const TcpSocket& socket : TRY(linux::read_tcp_listeners(pid)))
    if ((port == 0 || socket.local_port == port) && std::ranges::count(before, socket.inode, &TcpSocket::inode) == 0)
      fresh.push_back(socket);
  if (fresh.empty()) return none;
  const auto own = TRY(linux::read_socket_inodes(pid));
  const auto found = std::ranges::find_if(fresh, [&](const TcpSocket& socket) { return own.contains(socket.inode); });
  return found == fresh.end() ? none : std::optional<TcpSocket>(*found);
}

Result<TcpSocket> wait_for_listener(const NodeProcess& process, const std::vector<TcpSocket>& before, Deadline deadline) {
  Result<std::optional<TcpSocket>> found = std::optional<TcpSocket>();
  wait_until(deadline, [&] {
    found = new_listener(process.pid, before, 0);
    return !found.ok() || found->has_value() || !check_alive(process).ok();
  });
  TRY(check_alive(process));
  if (!found.ok()) return found.error();
  if (!found->has_value())
    return fail(ErrorCode::Unavailable, fmt::format("process {} does not open its inspector", process.pid),
                "it is stopped, or its port is taken: its standard error says more");
  return **found;
}

bool others_sleep(pid_t pid) {
  const auto threads = linux::list_threads(pid);
  return !threads.ok() || std::ranges::none_of(*threads, [pid](pid_t tid) {
    const auto state = linux::thread_state(pid, tid);
    return tid != pid && state.ok() && *state == 'R';
  });
}

bool is_loading(const Json& answer) {
  const Json& exception = member(member(answer, "exceptionDetails"), "exception");
  return text_member(exception, "description").find(kLoading) != std::string::npos;
}

}  // namespace

bool undo_opening(const TraceNote& note, bool is_alive) {
  if (!is_alive || note.details.size() != 3) return true;
  const auto open_port = linux::parse_number<uint16_t>(note.details[0]);
  const auto usual_port = linux::parse_number<uint16_t>(note.details[1]);
  if (!open_port || !usual_port) return true;
  auto process = look_at_process(note.pid, {});
  if (!process.ok()) return true;
  process->options.port = *open_port;
  // Nobody would open one that is open: it was not, when that was noted.
  const auto listener = open_inspector(*process);
  if (!listener.ok()) return false;
  if (!listener->has_value()) return true;
  const Deadline latest = Deadline::in_ms(kCloseMs);
  const InspectorAddress address{note.pid, *open_port, (*listener)->is_ipv6};
  const auto path = read_session_path(address, latest);
  auto client = path.ok() ? InspectorClient::connect(address, *path, latest) : Result<InspectorClient>(path.error());
  if (!client.ok()) return false;
  const InspectorPorts ports{*open_port, *usual_port};
  const std::string expression = note.details[2] == "deadline" ? closing_if_ours(ports) : closing(ports);
  InspectorClient::say_last(client.take(), "Runtime.evaluate", evaluation_of(expression), latest);
  return true;
}

void close_asked_workers(const std::vector<pid_t>& workers, const std::string& runtime_file, Deadline latest) {
  for (const pid_t worker : workers) {
    auto process = look_at_process(worker, runtime_file);
    if (!process.ok() || !claim_asked_worker(worker) || process->options.is_open) continue;
    InspectorDoor door(process.take());
    door.expect_open();
    (void)door.close(std::nullopt, latest);
  }
}

PortKey InspectorDoor::usual_port() const { return {linux::read_namespaces(process_.pid).net, process_.options.port}; }

Result<bool> InspectorDoor::enter() {
  TRY(check_known_port(process_));
  if (claim_asked_worker(process_.pid) && !process_.options.is_open) expect_open();
  if (const auto late = TRY(awaited())) {
    take(*late, State::Ours);
    return true;
  }
  const auto listener = TRY(open_inspector(process_));
  if (!listener) return false;
  TRY(check_unused(process_, *listener));
  take(*listener, State::Others);
  return true;
}

Result<> InspectorDoor::open(Deadline deadline) {
  if (TRY(enter())) return {};
  TRY(wait_for_handler(deadline));
  TRY(wait_for_port(deadline));
  TRY(check_running(process_));
  TRY(check_no_primary(process_));
  if (state_ != State::Asked) before_ = TRY(linux::read_tcp_listeners(process_.pid));
  TRY(leave_trace());
  TRY(send_signal(process_));
  state_ = State::Asked;
  take(TRY(wait_for_listener(process_, before_, deadline)), State::Ours);
  return {};
}

// One of ours gives it back when it is asked to; that of a worker which opened because of us is closed, unless it is
// recorded soon. Somebody else may be another recording, which is about to move away.
Result<> InspectorDoor::wait_for_port(Deadline deadline) const {
  const Deadline of_others{std::min(deadline.at_ns, Deadline::in_ms(kOthersMs).at_ns)};
  bool is_of_ours = false;
  Result<bool> is_taken = false;
  wait_until(deadline, [&] {
    is_taken = is_port_taken(process_);
    if (!is_taken.ok() || !*is_taken) return true;
    if (ask_for_port(usual_port())) is_of_ours = true;
    if (of_others.is_over()) close_asked_workers(asked_workers(), process_.runtime_file, deadline);
    return !is_of_ours && of_others.is_over();
  });
  return TRY(std::move(is_taken)) ? Result<>(port_taken(process_)) : Result<>();
}

Result<> InspectorDoor::wait_for_handler(Deadline deadline) const {
  Result<SignalUse> use = SignalUse::None;
  wait_until(deadline, [&] {
    return !(use = read_signal_use(process_.pid, process_.runtime_file)).ok() || !may_change(*use, process_);
  });
  if (use.ok() && may_change(*use, process_))
    return fail(ErrorCode::Unavailable,
                fmt::format("process {} has just begun: it does not handle signals yet", process_.pid));
  return explain(TRY(std::move(use)), process_);
}

// What was asked for, and came when nobody waited any more; much else may have begun to listen meanwhile.
Result<std::optional<TcpSocket>> InspectorDoor::awaited() const {
  std::optional<TcpSocket> none;
  return state_ == State::Asked ? new_listener(process_.pid, before_, process_.options.port) : none;
}

void InspectorDoor::take(const TcpSocket& listener, State state) {
  address_ = {process_.pid, listener.local_port, listener.is_ipv6};
  inode_ = listener.inode;
  state_ = state;
  settled_ = Deadline::in_ms(kSettleMs);
  if (state == State::Ours) (void)trace_.change(trace_note(false));
}

// Of which process, at which port, and whether it was told to close it by itself.
TraceNote InspectorDoor::trace_note(bool has_deadline) const {
  return {.kernel = "node",
          .what = std::string(kOpenInspector),
          .pid = process_.pid,
          .start_time_ticks = process_.start_time_ticks,
          .details = {std::to_string(state_ == State::Ours ? address_.port : process_.options.port),
                      std::to_string(process_.options.port), has_deadline ? "deadline" : "no deadline"}};
}

// Somebody has to know of it before it is done.
Result<> InspectorDoor::leave_trace() {
  if (has_trace_) return {};
  trace_ = TRY(Trace::leave(trace_folder_, trace_note(false)));
  has_trace_ = true;
  return {};
}

void InspectorDoor::forget() {
  state_ = State::Shut;
  trace_.undone();
  has_trace_ = false;
}

Result<> InspectorDoor::set_deadline(InspectorClient& client, Deadline deadline) {
  if (state_ != State::Ours) return {};
  TRY(leave_trace());  // of one that opened because of another
  const std::string expression = node::deadline({address_.port, process_.options.port}, kDeadlineMs);
  Result<Json> answer = Json();
  wait_until(deadline, [&] {
    answer = client.call("Runtime.evaluate", evaluation_of(expression), deadline);
    return !answer.ok() || !is_loading(*answer);
  });
  if (!answer.ok()) return answer.error();
  if (!member(*answer, "exceptionDetails").is_null())
    return fail(ErrorCode::Unsupported,
                fmt::format("process {} cannot be told to close its inspector by itself", process_.pid),
                "start it with --perf-basic-prof, which names its functions without that");
  return trace_.change(trace_note(true));
}

void InspectorDoor::give_more_time(InspectorClient& client) const {
  if (state_ == State::Ours) (void)client.post("Runtime.evaluate", evaluation_of(more_time()), Deadline::in_ms(kPostMs));
}

// Sockets of others at the same port come first, for they cost less to find than what a process has open.
Result<bool> InspectorDoor::has_guest(const InspectorClient& client) const {
  auto sockets = TRY(linux::read_tcp_sockets_at(process_.pid, address_.port));
  const uint16_t own_port = client.local_port();
  std::erase_if(sockets, [&](const TcpSocket& one) { return !one.is_established || one.remote_port == own_port; });
  if (sockets.empty()) return false;
  const auto own = TRY(linux::read_socket_inodes(process_.pid));
  return std::ranges::any_of(sockets, [&](const TcpSocket& one) { return own.contains(one.inode); });
}

Result<> InspectorDoor::move_away(InspectorClient client, Deadline deadline) {
  const auto before = TRY(linux::read_tcp_listeners(process_.pid));
  InspectorClient::say_last(std::move(client), "Runtime.evaluate", evaluation_of(reopening(builtin_module("inspector"))),
                            deadline);
  take(TRY(wait_for_listener(process_, before, deadline)), State::Ours);
  return {};
}

Result<> InspectorDoor::close(std::optional<InspectorClient> client, Deadline latest) {
  if (!linux::is_alive(process_.pid, process_.start_time_ticks)) forget();
  if (const auto late = awaited(); late.ok() && late->has_value()) take(**late, State::Ours);
  if (state_ == State::Asked) return {};  // it is for whoever comes back; there is nothing to close yet
  if (std::exchange(state_, State::Shut) != State::Ours) return {};
  for (int openings = 1;; ++openings) {
    const auto before = TRY(linux::read_tcp_listeners(process_.pid));
    if (!client || !close_by(*std::exchange(client, std::nullopt)).ok()) TRY(close_anew(latest));
    const auto again = opened_again(before, latest);
    if (!again) {
      forget();
      return {};
    }
    take(*again, State::Shut);
    if (openings == kMostOpenings) return check_closed(fail(ErrorCode::Unavailable, "it opens again and again"));
  }
}

// Inside the session's own call: it takes effect also where the main thread never comes back to its event loop. V8 answers
// nothing then, the connection just ends; Node.js defers the end of the session until the call has returned.
Result<> InspectorDoor::close_by(InspectorClient client) const {
  const Deadline deadline = Deadline::in_ms(kCloseMs);
  const std::string expression = closing({address_.port, process_.options.port});
  InspectorClient::say_last(std::move(client), "Runtime.evaluate", evaluation_of(expression), deadline);
  wait_until(deadline, [&] { return is_closed(); });
  return check_closed(fail(ErrorCode::Unavailable, "it does not react"));
}

// Whatever happened to our session, an inspector that we opened has to be closed: if need be, through a new one.
Result<> InspectorDoor::close_anew(Deadline latest) const {
  const auto path = read_session_path(address_, latest);
  if (!path.ok()) return check_closed(path.error());
  auto client = InspectorClient::connect(address_, *path, latest);
  if (!client.ok()) return check_closed(client.error());
  return close_by(client.take());
}

// The thread that asks twice may be held up between the two on a busy machine, longer than its loop takes for its turns. It
// has asked when all of them sleep, whichever it is.
std::optional<TcpSocket> InspectorDoor::opened_again(const std::vector<TcpSocket>& before, Deadline latest) const {
  std::optional<TcpSocket> again;
  int quiet_looks = 0;
  wait_until({std::min(settled_.at_ns, latest.at_ns)}, [&] {
    const auto found = new_listener(process_.pid, before, process_.options.port);
    if (found.ok()) again = *found;
    quiet_looks = others_sleep(process_.pid) ? quiet_looks + 1 : 0;
    return again.has_value() || !found.ok() || quiet_looks == kQuietLooks;
  });
  return again;
}

bool InspectorDoor::is_closed() const {
  const auto listeners = linux::read_tcp_listeners(process_.pid);
  return !listeners.ok() || std::ranges::count(*listeners, inode_, &TcpSocket::inode) == 0;
}

Result<> InspectorDoor::check_closed(const Error& error) const {
  if (is_closed()) return {};
  return fail(
      ErrorCode::Unavailable,
      fmt::format("the inspector of process {} still listens on port {}: {}", process_.pid, address_.port, error.message),
      "it is closed when the process ends, or by require('inspector').close() in it");
}

}  // namespace atys::capture::node

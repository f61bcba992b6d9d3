// SPDX-License-Identifier: Apache-2.0
// Opens the inspector of a running Node.js process without a restart (SIGUSR1), and closes it again. It is never opened
// where the signal could do anything else, nor where it, or its port, is in use by somebody else.
//
// What cannot be avoided: Node.js writes "Debugger listening on …", "Debugger attached.", "Debugger ending on …" to its
// standard error; and while it is open, whoever may connect to the loopback interface may connect to the inspector.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "capture/node/inspector_checks.h"
#include "capture/node/inspector_client.h"
#include "capture/node/port_holder.h"
#include "capture/traces.h"
#include "linux/process_sockets.h"

namespace atys::capture::node {

// What a recording that was killed has left open, as it noted that; whether it is closed now.
inline constexpr std::string_view kOpenInspector = "open inspector";
bool undo_opening(const TraceNote& note, bool is_alive);

// Closes the inspectors of workers that opened because of us and that nobody records, see cluster.h.
void close_asked_workers(const std::vector<pid_t>& workers, const std::string& runtime_file, Deadline latest);

class InspectorDoor {
 public:
  // `trace_folder`: where it is noted that it is open, see traces.h.
  explicit InspectorDoor(NodeProcess process, std::string trace_folder = {})
      : process_(std::move(process)), trace_folder_(std::move(trace_folder)) {}

  // Takes it as it is, where it is open; nothing is done to the process. False: it is not open.
  Result<bool> enter();
  // Waits, up to the deadline, for a process that has just begun, for a port that another process of ours holds, and for a
  // main thread that is busy with something else; but not for long for a port that somebody else holds. One that failed may
  // be tried again. Only one at a time for each port, see PortTurn.
  Result<> open(Deadline deadline);

  // Opens it once more, on a port that nobody else will want: there are many Node.js processes, and all of them open theirs
  // on the same port. The session that this is said through ends by it.
  Result<> move_away(InspectorClient client, Deadline deadline);

  const InspectorAddress& address() const { return address_; }
  bool was_open() const { return state_ == State::Others; }
  bool is_at_usual_port() const { return address_.port == process_.options.port; }
  PortKey usual_port() const;

  // To be said before anything else: the process closes what we opened by itself when nobody gives it more time.
  Result<> set_deadline(InspectorClient& client, Deadline deadline);
  void give_more_time(InspectorClient& client) const;
  // Whether anybody else than `client` is connected to it.
  Result<bool> has_guest(const InspectorClient& client) const;

  // Closes it, through a session that has ended whatever it began or through one of its own; not if it was open before us.
  // One that was asked for and did not open in time is closed if it is open by now. An error: it still listens.
  Result<> close(std::optional<InspectorClient> client, Deadline latest);
  // The process has closed it, or ended.
  void forget();
  // It was asked to open, though not through this.
  void expect_open() { state_ = State::Asked; }

 private:
  enum class State { Shut, Asked, Ours, Others };
  Result<> wait_for_handler(Deadline deadline) const;
  Result<> wait_for_port(Deadline deadline) const;
  Result<std::optional<linux::TcpSocket>> awaited() const;
  void take(const linux::TcpSocket& listener, State state);
  Result<> close_by(InspectorClient client) const;
  Result<> close_anew(Deadline latest) const;
  std::optional<linux::TcpSocket> opened_again(const std::vector<linux::TcpSocket>& before, Deadline latest) const;
  bool is_closed() const;
  // Fine if it does not listen any more; else `error` was in the way of closing it.
  Result<> check_closed(const Error& error) const;
  TraceNote trace_note(bool has_deadline) const;
  Result<> leave_trace();

  NodeProcess process_;
  std::string trace_folder_;
  Trace trace_;
  bool has_trace_ = false;
  State state_ = State::Shut;
  InspectorAddress address_;
  uint64_t inode_ = 0;                    // of the socket that listens
  std::vector<linux::TcpSocket> before_;  // what listened before it was asked for
  Deadline settled_{0};                   // then nothing of the asking is left in the process
};

}  // namespace atys::capture::node

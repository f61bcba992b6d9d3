// SPDX-License-Identifier: Apache-2.0
// Opens the inspector of a running Node.js process without a restart (SIGUSR1), and closes it again. It is never opened
// where the signal could do anything else, nor where it, or its port, is in use by somebody else.
//
// What cannot be avoided: Node.js writes "Debugger listening on …", "For help, see …" and "Debugger attached." to its
// standard error; and while it is open, whoever may connect to the loopback interface may connect to the inspector.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "capture/node/inspector_client.h"
#include "capture/node/inspector_options.h"

namespace atys::capture::node {

struct NodeProcess {
  pid_t pid = 0;
  uint64_t start_time_ticks = 0;
  std::string runtime_file;  // as the process sees it
  InspectorOptions options;
};

// Whether a process with that V8 survives being asked for a profile of itself. Those of Node.js 12 (V8 7.8) crashed, a
// quarter of the ones that had just begun: V8 kept names without a lock between its threads. An unknown version is a new
// one.
bool survives_profiling(std::string_view v8_version);

// Whether Node.js may not handle signals yet: it takes a tenth of a second of CPU time until it does, which on a busy
// machine may be many seconds. One that sleeps has little CPU time for ever, hence an end to that.
bool may_be_starting(double age_seconds, double cpu_seconds);

// Fails where the process is gone.
Result<NodeProcess> look_at_process(pid_t pid, const std::string& runtime_file);

// Whether the inspector can be had, without touching the process. What may change by itself (a process that has just begun,
// a port that others will give back) is no reason to say no.
Result<> check_inspector(const NodeProcess& process);

class InspectorDoor {
 public:
  // Waits, up to the deadline, for a process that has just begun and for a port that another process holds.
  static Result<InspectorDoor> open(const NodeProcess& process, Deadline deadline);

  // Opens it once more, on a port that nobody else will want: there are many Node.js processes, and all of them open theirs
  // on the same port. The session that this is said through ends by it.
  Result<> move_away(InspectorClient client, Deadline deadline);

  const InspectorAddress& address() const { return address_; }
  bool was_open() const { return was_open_; }

  // Closes it, through a session that has ended whatever it began; not if it was open before us. An error: it still listens.
  Result<> close(InspectorClient client);
  // Fine if it does not listen any more; else `error` was in the way of closing it.
  Result<> check_closed(const Error& error) const;

 private:
  bool is_closed() const;
  InspectorDoor(const NodeProcess& process, InspectorAddress address, uint64_t inode, bool was_open)
      : process_(process), address_(address), inode_(inode), was_open_(was_open) {}
  NodeProcess process_;
  InspectorAddress address_;
  uint64_t inode_ = 0;  // of the socket that listens
  bool was_open_ = false;
};

}  // namespace atys::capture::node

// SPDX-License-Identifier: Apache-2.0
// Whether the inspector of a running Node.js process can be had, and what is in the way. Only looks; inspector_door.h opens
// it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "capture/node/inspector_options.h"
#include "capture/node/signal_handler.h"
#include "linux/process_sockets.h"

namespace atys::capture::node {

struct NodeProcess {
  pid_t pid = 0;
  uint64_t start_time_ticks = 0;
  std::string runtime_file;  // as the process sees it
  InspectorOptions options;
  bool is_cluster_worker = false;  // of node:cluster; it is no primary then
  std::string v8_version = {};     // empty: unknown
};

// Whether a process with that V8 survives being asked for a profile of itself. Those of Node.js 12 (V8 7.8) crashed, a
// quarter of the ones that had just begun: V8 kept names without a lock between its threads. An unknown version is a new
// one.
bool survives_profiling(std::string_view v8_version);

// Before Node.js 16 (V8 9), an inspector cannot be closed and opened in one go.
bool can_move_inspector(const NodeProcess& process);

// Whether Node.js may not handle signals yet: it takes a tenth of a second of CPU time until it does, which on a busy
// machine may be many seconds. One that sleeps has little CPU time for ever, hence an end to that.
bool may_be_starting(double age_seconds, double cpu_seconds);

// Fails where the process is gone.
Result<NodeProcess> look_at_process(pid_t pid, const std::string& runtime_file);

// Whether the inspector can be had, without touching the process. What may change by itself (a process that has just begun,
// a port that others will give back) is no reason to say no.
Result<> check_inspector(const NodeProcess& process);

// What check_inspector() asks, one by one.
Result<> check_alive(const NodeProcess& process);
// A stopped process would open its inspector when nobody is there any more to close it.
Result<> check_running(const NodeProcess& process);
// Node.js would ignore the signal, and which of its ports is the inspector's only asking would tell.
Result<> check_known_port(const NodeProcess& process);
// Node.js would send each of its workers the signal, too.
Result<> check_no_primary(const NodeProcess& process);
// V8 would let us in beside a debugger, but what a person debugs may be stopped or slow.
Result<> check_unused(const NodeProcess& process, const linux::TcpSocket& listener);

// The inspector that listens already; its port can only be the one of the options.
Result<std::optional<linux::TcpSocket>> open_inspector(const NodeProcess& process);
Result<bool> is_port_taken(const NodeProcess& process);
// With who listens there, if that can be told.
Error port_taken(const NodeProcess& process);

// Node.js begins by blocking SIGUSR1, for it would kill it, and lets it through when it has its handler.
bool may_change(SignalUse use, const NodeProcess& process);
// Why it cannot be opened by the signal, if it cannot.
Result<> explain(SignalUse use, const NodeProcess& process);

}  // namespace atys::capture::node

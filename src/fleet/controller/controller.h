// SPDX-License-Identifier: Apache-2.0
// The controller: knows the nodes, hands out tasks, takes what comes back, keeps it, and answers questions about it. Doors
// (gRPC, HTTP, a link within the process) are elsewhere; every call may come from any thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/access.h"
#include "base/result.h"
#include "fleet/controller/kept_messages.h"
#include "fleet/controller/node_registry.h"
#include "fleet/controller/node_tokens.h"
#include "fleet/controller/received.h"
#include "fleet/controller/task_book.h"
#include "fleet/controller/upstream.h"
#include "fleet/service_query.h"
#include "fleet/wire/admission.h"
#include "fleet/wire/export_response.h"
#include "store/profile_store.h"
#include "store/store_maintenance.h"

namespace atys::fleet {

struct ControllerOptions {
  std::string folder;                            // tasks, and what is on its way to a controller above
  std::string name;                              // as a node of that one; empty: the host's name
  store::RetentionPolicy retention = {};         // without a limit of bytes: the store's own
  size_t most_waiting_bytes = size_t{64} << 20;  // messages inside, in all
  size_t most_kept_bytes = size_t{32} << 20;     // messages that the next ones are compressed against
  uint64_t report_again_ns = 5'000'000'000;
  Access access = {};  // of the doors: who has joined is let in there
  int64_t pass_on_interval_ns = 60'000'000'000;
  int64_t pass_on_grace_ns = 30'000'000'000;
  std::function<int64_t()> now_ns = {};  // Unix time; empty: the clock's
  // A clock that nobody sets, which schedules go by. Empty: the kernel's, or now_ns where that is given.
  std::function<int64_t()> running_ns = {};
};

// Everything that is counted, since the start.
struct ControllerStatus {
  std::string name;
  int64_t started_ns = 0;
  uint64_t messages = 0, message_bytes = 0;
  uint64_t windows = 0, duplicates = 0;
  std::map<std::string, uint64_t> refused_messages, refused_profiles;  // by reason
  std::map<std::string, uint64_t> windows_by_service;                  // bounded: the rest is "other"
  uint64_t reports = 0;
  size_t waiting_bytes = 0, most_waiting_bytes = 0;
  uint64_t turned_away = 0;
  uint64_t packed_messages = 0, packed_bytes = 0;  // of all messages, those that came by receive_packed(), as they came
  KeptMessages::State kept;
  double rate_factor = 1, load = 0;
  size_t nodes = 0, nodes_away = 0, nodes_joined = 0, tasks = 0;
  uint64_t nodes_crowded_out = 0;  // forgotten to make room for others
  store::Holdings store;
  std::optional<store::Health> store_files;  // of a store that does not look after them itself
  std::string store_trouble;                 // why it cannot take windows, or tell of itself, now; empty: it can
  uint64_t store_limit_bytes = 0;
  uint64_t compactions = 0, dropped_windows = 0;  // the latter by retention
  uint64_t dropped_files = 0;                     // likewise: whole days
  int64_t clock_ahead_ns = 0;                     // of what is believed of it (store/trusted_clock.h)
  uint64_t clock_jumps = 0;
  std::vector<std::string> problems;  // of upkeep; the last ones
  uint64_t lost_audit_lines = 0;
  bool has_upstream = false;
  UpstreamStatus upstream;
};

class Controller {
 public:
  // `upstream`: the way to the controller above; null: there is none.
  static Result<std::unique_ptr<Controller>> open(ControllerOptions options, std::unique_ptr<store::ProfileStore> store,
                                                  std::unique_ptr<ControllerLink> upstream = nullptr);
  virtual ~Controller() = default;

  // What doors ask before they read a message.
  virtual Admission& door() = 0;
  // `from`: who sends it, as a door knows them; within the process whoever calls may do everything.
  virtual Result<Orders> report(const AgentReport& report, const Identity& from = {}) = 0;
  virtual Result<Joined> join(const JoinRequest& request, const Identity& from) = 0;
  // The node has to join again. NotFound: it has not joined.
  virtual Result<> forget_node(const std::string& node) = 0;
  // One that a door could make no sense of.
  virtual void count_refused_message(const Error& why) = 0;
  // Stored for good when it returns. Unavailable: worth sending again.
  virtual Result<ExportResponse> receive(std::string_view otlp, OtlpEncoding encoding, const Identity& from = {}) = 0;
  // The same, of OTLP that is compressed against what was received before (fleet/wire/dcz.h). NotFound: that is not here any
  // more, so it is to be sent whole.
  virtual Result<ExportResponse> receive_packed(std::string_view body, const Identity& from = {}) = 0;

  virtual Result<TaskEntry> apply_task(const std::string& text, std::string_view source) = 0;
  virtual Result<TaskEntry> stop_task(const std::string& name) = 0;
  virtual Result<TaskEntry> remove_task(const std::string& name) = 0;
  virtual Result<TaskEntry> task(const std::string& name) const = 0;
  virtual std::vector<TaskEntry> tasks() const = 0;

  virtual std::vector<NodeState> nodes() const = 0;
  // What could not be read is added to `problems`.
  virtual Result<std::vector<store::ServiceEntry>> services(store::Missing* missing = nullptr) = 0;
  virtual Result<std::vector<store::InstanceEntry>> instances(const std::string& service) = 0;
  // Pooled by stretch; NotFound names services that are like it.
  virtual Result<store::Merged> profile(const ServiceQuery& query) = 0;
  virtual Result<store::Series> series(const ServiceQuery& query, int64_t step_ns, const std::string& function) = 0;

  virtual Result<ControllerStatus> status() = 0;
  virtual int64_t now_ns() const = 0;

  // One round of upkeep: load, sums, retention. Its thread does this all the time; for tests.
  virtual void keep_up() = 0;
};

// The way to a controller in the same process, which outlives it.
std::unique_ptr<ControllerLink> open_local_link(Controller& controller);

}  // namespace atys::fleet

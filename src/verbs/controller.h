// SPDX-License-Identifier: Apache-2.0
// Runs the controller of a fleet, and answers what is asked of it in this process: what the HTTP API and the page show.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/access.h"
#include "base/result.h"
#include "fleet/controller/audit_log.h"
#include "fleet/controller/controller.h"
#include "fleet/wire/grpc_server.h"
#include "verbs/profiles/fleet_answers.h"
#include "verbs/summary.h"

namespace atys::verbs {

using ControllerStatus = fleet::ControllerStatus;
using ServiceQuery = fleet::ServiceQuery;
using ExportResponse = fleet::ExportResponse;
using OtlpEncoding = fleet::OtlpEncoding;
using Admission = fleet::Admission;
using Caller = fleet::Caller;
using TlsFiles = fleet::TlsFiles;
using fleet::encode_json;
using fleet::read_tls;

struct ControllerRequest {
  std::string data_folder;
  std::string store;                            // where profiles are kept (store/open_store.h); empty: below data_folder
  std::string name;                             // as a node of the controller above; empty: the host's
  std::string grpc_address = "127.0.0.1:4317";  // empty: no gRPC
  Access access;
  std::string tls_authority, tls_certificate, tls_key;  // PEM files
  std::string upstream;                                 // gRPC address of the controller above; empty: none
  std::string upstream_token;
  std::function<Result<std::string>()> read_upstream_token = {};  // anew, when it is refused
  bool upstream_tls = false;
  bool allows_token_in_clear = false;  // to the controller above, over a network
  std::string upstream_authority;
  std::array<uint64_t, 3> keep_ns = {};  // windows, minutes, hours; 0: as is usual
  uint64_t keep_bytes = 0;               // on disk; 0: a share of it
  uint64_t most_waiting_bytes = uint64_t{64} << 20;
  uint64_t report_again_ns = 5'000'000'000;  // how often agents report, and learn of new tasks
  uint64_t pass_on_ns = 60'000'000'000;      // the interval of what is passed on
  uint64_t pass_on_grace_ns = 30'000'000'000;
};

// Below ATYS_HOME.
std::string default_controller_folder();

// A profile in a format, to be sent.
struct SentProfile {
  std::string bytes;
  std::string media_type;
  std::string extension;  // that such a file has
  size_t windows = 0;
  bool is_exact = true;
  size_t problems = 0;  // parts of the store that could not be read: what they held is missing
};

class RunningController {
 public:
  static Result<std::unique_ptr<RunningController>> start(const ControllerRequest& request);

  int grpc_port() const { return grpc_ ? grpc_->port() : 0; }
  fleet::Controller& controller() { return *controller_; }
  Admission& door() { return controller_->door(); }
  int64_t now_ns() const { return controller_->now_ns(); }

  Result<ServicesAnswer> services();
  NodesAnswer nodes() const;
  // The node has to join again; put down in the audit log.
  Result<NodesAnswer> forget_node(const std::string& node, const Caller& caller);
  TasksAnswer tasks() const;
  Result<TasksAnswer> task(const std::string& name) const;
  // These are put down in the audit log. The task is of this name, or it is an error.
  Result<TasksAnswer> apply_task(const std::string& text, const std::string& name, const Caller& caller);
  Result<TasksAnswer> stop_task(const std::string& name, const Caller& caller);
  Result<TasksAnswer> delete_task(const std::string& name, const Caller& caller);
  // A call that was refused before it came here.
  void audit(const Caller& caller, const std::string& action, const std::string& what, const std::string& outcome) {
    audit_log_->add(now_ns(), caller, action, what, outcome);
  }

  Result<SentProfile> profile(const ServiceQuery& query, const std::string& format,
                              const reduce::FilterOptions& filter = {});
  Result<SummaryAnswer> top(const ServiceQuery& query, const View& view);
  Result<SeriesAnswer> series(const ServiceQuery& query, int64_t step_ns, const std::string& function);

  Result<ExportResponse> receive(std::string_view otlp, OtlpEncoding encoding, const Identity& from) {
    return controller_->receive(otlp, encoding, from);
  }
  Result<ControllerStatus> status();
  uint64_t refused_tokens() const { return grpc_ ? grpc_->refused_tokens() : 0; }

 private:
  RunningController() = default;
  Result<store::Merged> merged(const ServiceQuery& query);
  TaskRow row_of(const fleet::TaskEntry& entry, const std::vector<fleet::NodeState>& nodes) const;
  TasksAnswer one(const fleet::TaskEntry& entry, std::string done) const;
  Result<TasksAnswer> audited(const Caller& caller, const char* action, const std::string& task, Result<TasksAnswer> answer);
  Result<TasksAnswer> applied(const std::string& text, const std::string& name);

  std::unique_ptr<fleet::AuditLog> audit_log_;
  std::unique_ptr<fleet::Controller> controller_;
  std::unique_ptr<fleet::GrpcServer> grpc_;  // ends before the controller
};

}  // namespace atys::verbs

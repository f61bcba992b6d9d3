// SPDX-License-Identifier: Apache-2.0
// Runs the node agent until somebody ends it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "fleet/agent/agent.h"

namespace atys::verbs {

using AgentStatus = fleet::AgentStatus;

struct AgentRequest {
  std::string controller;  // host:port of its gRPC; empty: none, and the tasks of `task_files` alone
  std::string token;
  std::function<Result<std::string>()> read_token = {};  // anew, when it is refused; empty: there is no other
  std::string join_token;                                // by which it gets one of its own; empty: it uses `token`
  bool use_tls = false;
  bool allows_token_in_clear = false;                   // over a network
  std::string tls_authority, tls_certificate, tls_key;  // PEM files
  std::string node;
  std::string data_folder;
  std::string metrics_address;
  double max_cpu = 0.01;  // of one core
  uint64_t max_memory_bytes = 128000000;
  uint64_t spool_bytes = uint64_t{256} << 20;
  std::map<std::string, std::string> labels;
  std::vector<std::string> task_files;
  uint64_t duration_ns = 0;  // 0: until a signal
};

// Below ATYS_HOME.
std::string default_agent_folder();

// Gives up every right that an agent does not need, for good. To be called before there are threads.
Result<> keep_rights_of_agent();

class RunningAgent {
 public:
  // By `link`; without one, by the controller that the request names.
  static Result<std::unique_ptr<RunningAgent>> start(const AgentRequest& request,
                                                     std::unique_ptr<fleet::ControllerLink> link = nullptr);
  AgentStatus status() const { return agent_->status(); }

 private:
  explicit RunningAgent(std::unique_ptr<fleet::Agent> agent) : agent_(std::move(agent)) {}
  std::unique_ptr<fleet::Agent> agent_;
};

}  // namespace atys::verbs

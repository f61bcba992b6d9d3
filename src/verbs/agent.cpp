// SPDX-License-Identifier: Apache-2.0
#include "verbs/agent.h"

#include "fleet/wire/grpc_link.h"
#include "fleet/wire/token_in_clear.h"
#include "store/library.h"
#include "verbs/task_file.h"

namespace atys::verbs {

namespace {

Result<std::unique_ptr<fleet::ControllerLink>> link_to(const AgentRequest& request) {
  if (request.controller.empty()) return std::unique_ptr<fleet::ControllerLink>();  // it works alone
  const bool uses_tls = request.use_tls || !request.tls_authority.empty() || !request.tls_certificate.empty();
  TRY(fleet::check_token_is_safe(request.controller, request.token, uses_tls, request.allows_token_in_clear,
                                 "use --tls, or --ca FILE for a certificate of your own", "say --insecure-token"));
  return fleet::open_grpc_link({.address = request.controller,
                                .token = request.token,
                                .use_tls = request.use_tls,
                                .tls = {request.tls_authority, request.tls_certificate, request.tls_key}});
}

}  // namespace

std::string default_agent_folder() { return store::Library::open_default().home() + "/agent"; }

Result<std::unique_ptr<RunningAgent>> RunningAgent::start(const AgentRequest& request,
                                                          std::unique_ptr<fleet::ControllerLink> link) {
  fleet::AgentOptions options{.node = request.node,
                              .data_folder = request.data_folder,
                              .spool_bytes = request.spool_bytes,
                              .budget = {.cpu = request.max_cpu, .memory_bytes = request.max_memory_bytes},
                              .metrics_address = request.metrics_address,
                              .labels = request.labels};
  for (const std::string& path : request.task_files) options.tasks.push_back(TRY(read_task_file(path)).task);
  if (link == nullptr) link = TRY(link_to(request));
  if (link == nullptr && options.tasks.empty())
    return fail(ErrorCode::InvalidInput, "the agent has nothing to do",
                "name its controller (--controller), or a task (--task)");
  std::unique_ptr<fleet::Agent> agent = TRY(fleet::Agent::start(std::move(options), std::move(link)));
  return std::unique_ptr<RunningAgent>(new RunningAgent(std::move(agent)));
}

}  // namespace atys::verbs

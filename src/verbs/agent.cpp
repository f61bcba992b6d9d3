// SPDX-License-Identifier: Apache-2.0
#include "verbs/agent.h"

#include "fleet/wire/grpc_link.h"
#include "fleet/wire/renewed_link.h"
#include "fleet/wire/token_in_clear.h"
#include "linux/host.h"
#include "linux/own_rights.h"
#include "store/library.h"
#include "verbs/profiles/data_folder.h"
#include "verbs/profiles/task_file.h"
#include "verbs/recording/symbol_worker.h"

namespace atys::verbs {

namespace {

// Its own token is kept where its spool is.
Result<fleet::TokenSource> joining(const AgentRequest& request, fleet::GrpcClientOptions controller) {
  const std::string node = request.node.empty() ? TRY(linux::read_host()).name : request.node;
  controller.token = request.join_token;
  TRY(make_data_folder(request.data_folder));
  return fleet::TokenSource([plan = fleet::JoinPlan{node, request.data_folder + "/node-token", std::move(controller)}](
                                bool was_refused) { return fleet::node_token(plan, was_refused); });
}

Result<std::unique_ptr<fleet::ControllerLink>> link_to(const AgentRequest& request) {
  if (request.controller.empty()) return std::unique_ptr<fleet::ControllerLink>();  // it works alone
  const bool uses_tls = request.use_tls || !request.tls_authority.empty() || !request.tls_certificate.empty();
  TRY(fleet::check_token_is_safe(request.controller, request.token, uses_tls, request.allows_token_in_clear,
                                 "use --tls, or --ca FILE for a certificate of your own", "say --insecure-token"));
  const fleet::GrpcClientOptions options{.address = request.controller,
                                         .token = request.token,
                                         .use_tls = request.use_tls,
                                         .tls = {request.tls_authority, request.tls_certificate, request.tls_key}};
  const auto open = [options](const std::string& token) {
    fleet::GrpcClientOptions with_token = options;
    with_token.token = token;
    return fleet::open_grpc_link(with_token);
  };
  TRY(open(request.token));  // what is wrong with the files of TLS is told at once
  if (!request.join_token.empty()) return fleet::open_renewed_link(TRY(joining(request, options)), open);
  return fleet::open_renewed_link(
      [token = request.token, read = request.read_token](bool was_refused) -> Result<std::string> {
        return was_refused && read ? read() : token;
      },
      open);
}

}  // namespace

std::string default_agent_folder() { return store::Library::open_default().home() + "/agent"; }

Result<> keep_rights_of_agent() { return linux::keep_only(linux::kAgentCapabilities); }

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
  limit_symbol_worker(request.max_memory_bytes);
  std::unique_ptr<fleet::Agent> agent = TRY(fleet::Agent::start(std::move(options), std::move(link)));
  return std::unique_ptr<RunningAgent>(new RunningAgent(std::move(agent)));
}

}  // namespace atys::verbs

// SPDX-License-Identifier: Apache-2.0
#include "verbs/agent.h"

#include <csignal>
#include <ctime>

#include "base/byte_source.h"
#include "fleet/wire/grpc_link.h"
#include "store/library.h"

namespace atys::verbs {

namespace {

sigset_t ending_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&set, number);
  return set;
}

Result<fleet::Task> read_task(const std::string& path) {
  const std::unique_ptr<ByteSource> source = TRY(open_source(path));
  const auto bytes = TRY(source->read_all());
  return fleet::parse_task(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), path);
}

Result<std::unique_ptr<fleet::ControllerLink>> link_to(const AgentRequest& request) {
  if (request.controller.empty()) return std::unique_ptr<fleet::ControllerLink>();
  return fleet::open_grpc_link({.address = request.controller,
                                .token = request.token,
                                .use_tls = request.use_tls,
                                .tls = {request.tls_authority, request.tls_certificate, request.tls_key}});
}

}  // namespace

std::string default_agent_folder() { return store::Library::open_default().home() + "/agent"; }

Result<std::unique_ptr<RunningAgent>> RunningAgent::start(const AgentRequest& request) {
  fleet::AgentOptions options{.node = request.node,
                              .data_folder = request.data_folder,
                              .spool_bytes = request.spool_bytes,
                              .budget = {.cpu = request.max_cpu, .memory_bytes = request.max_memory_bytes},
                              .metrics_address = request.metrics_address,
                              .labels = request.labels};
  for (const std::string& path : request.task_files) options.tasks.push_back(TRY(read_task(path)));
  if (request.controller.empty() && options.tasks.empty())
    return fail(ErrorCode::InvalidInput, "the agent has nothing to do",
                "name its controller (--controller), or a task (--task)");
  std::unique_ptr<fleet::Agent> agent = TRY(fleet::Agent::start(std::move(options), TRY(link_to(request))));
  return std::unique_ptr<RunningAgent>(new RunningAgent(std::move(agent)));
}

struct UntilToldToEnd::Before {
  sigset_t mask{};
};

UntilToldToEnd::UntilToldToEnd() : before_(std::make_unique<Before>()) {
  const sigset_t set = ending_signals();
  ::pthread_sigmask(SIG_BLOCK, &set, &before_->mask);
}

UntilToldToEnd::~UntilToldToEnd() { ::pthread_sigmask(SIG_SETMASK, &before_->mask, nullptr); }

bool UntilToldToEnd::wait(uint64_t ns) {
  const sigset_t set = ending_signals();
  const timespec time{static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
  return ::sigtimedwait(&set, nullptr, &time) > 0;
}

}  // namespace atys::verbs

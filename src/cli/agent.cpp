// SPDX-License-Identifier: Apache-2.0
#include "verbs/agent.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "base/clock.h"
#include "base/quantities.h"
#include "cli/listening.h"
#include "cli/print.h"
#include "cli/raw_text.h"
#include "present/metrics/agent_metrics.h"
#include "present/metrics/metrics_server.h"
#include "present/text/state_log.h"
#include "verbs/recording/until_told_to_end.h"

namespace atys::cli {

namespace {

constexpr uint64_t kLookNs = 2'000'000'000;

class AgentSubcommand final : public Subcommand {
 public:
  const Manual& manual() const override {
    static constexpr Manual kManual{
        .name = "agent",
        .summary = "Profile the services of this node, for a controller or alone",
        .description = R"(
          Finds the instances of the services that its tasks name, records them window after window at the lowest rate
          that keeps the answer true, and sends what it finds to a controller. While that is away, windows wait on disk.
          Metrics for Prometheus are at /metrics. It stays within --max-cpu and --max-memory, whatever its tasks ask
          for. A token that is replaced in its file is read again.
          )"_text,
        .examples = R"(
          # for a controller
          atys agent --controller 10.0.0.1:4317 --token-file /etc/atys/token
          # alone: two tasks, seen by Prometheus only
          atys agent --task shop.yaml --task search.yaml --metrics 127.0.0.1:9465
        )"_text,
    };
    return kManual;
  }

  void define_options(CLI::App& app) override {
    app.add_option("--controller", request_.controller, "Its gRPC address")
        ->type_name("HOST:PORT")
        ->envname("ATYS_CONTROLLER_GRPC");
    app.add_option("--token-file", token_file_, "The controller's token (default: the variable ATYS_TOKEN)")
        ->type_name("FILE");
    app.add_option("--join-token-file", join_token_file_,
                   "A token for joining: with it the node gets one of its own, kept in --data")
        ->type_name("FILE");
    app.add_option("--task", request_.task_files, "A task of its own; may repeat")
        ->type_name("FILE")
        ->allow_extra_args(false);
    app.add_option("--metrics", metrics_, "Where to answer /metrics (default: 127.0.0.1:9465; none: nowhere)")
        ->type_name("ADDRESS:PORT");
    app.add_option("--metrics-token-file", metrics_token_file_,
                   "The token that /metrics asks for, in a file that is made if it is not there; other machines need one")
        ->type_name("FILE");
    app.add_option("--metrics-host", guard_.hosts, "A name by which /metrics may be asked, besides localhost; may repeat")
        ->type_name("NAME")
        ->allow_extra_args(false);
    app.add_option("--node", request_.node, "What this node is called (default: the host's name)")->type_name("NAME");
    app.add_option("--label", labels_, "Something to know of this node; may repeat")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    app.add_option("--data", request_.data_folder, "Folder of its spool and caches (default: ATYS_HOME/agent)")
        ->type_name("FOLDER");
    app.add_option("--max-cpu", max_cpu_, "CPU time of the agent, of one core (default: 1%)")
        ->type_name("PERCENT")
        ->group("Limits");
    app.add_option("--max-memory", max_memory_, "Memory of the agent (default: 128MB)")->type_name("SIZE")->group("Limits");
    app.add_option("--max-spool", max_spool_, "Windows that wait for the controller (default: 256MiB)")
        ->type_name("SIZE")
        ->group("Limits");
    app.add_option("--duration", duration_, "End after so long")->type_name("TIME")->group("Limits");
    app.add_flag("--insecure-token", request_.allows_token_in_clear, "Send the token without TLS, also over a network")
        ->group("TLS");
    app.add_flag("--tls", request_.use_tls, "Speak TLS with the controller")->group("TLS");
    app.add_option("--ca", request_.tls_authority, "Whom to trust (PEM)")->type_name("FILE")->group("TLS");
    app.add_option("--cert", request_.tls_certificate, "Our certificate (PEM)")->type_name("FILE")->group("TLS");
    app.add_option("--key", request_.tls_key, "Its key (PEM)")->type_name("FILE")->group("TLS");
  }

  Result<> prepare() override {
    if (!max_cpu_.empty()) request_.max_cpu = TRY(parse_percent(max_cpu_));
    if (!max_memory_.empty()) request_.max_memory_bytes = TRY(parse_bytes(max_memory_));
    if (!max_spool_.empty()) request_.spool_bytes = TRY(parse_bytes(max_spool_));
    if (!duration_.empty()) request_.duration_ns = TRY(parse_duration(duration_));
    for (const std::string& label : labels_) request_.labels.insert(TRY(parse_label(label)));
    if (metrics_ != "none") std::tie(address_, port_) = TRY(parse_address(metrics_.empty() ? "127.0.0.1:9465" : metrics_));
    TRY(guard_metrics());
    if (const char* token = std::getenv("ATYS_TOKEN"); token != nullptr) request_.token = token;
    if (!token_file_.empty()) {
      request_.token = TRY(token_of_existing_file(token_file_));
      request_.read_token = [path = token_file_] { return token_of_existing_file(path); };
    }
    if (!join_token_file_.empty()) request_.join_token = TRY(token_of_existing_file(join_token_file_));
    if (request_.data_folder.empty()) request_.data_folder = verbs::default_agent_folder();
    return {};
  }

  Result<Printed> run() override {
    TRY(verbs::keep_rights_of_agent());
    verbs::UntilToldToEnd end = TRY(verbs::UntilToldToEnd::create());
    std::unique_ptr<verbs::RunningAgent> agent;                 // outlives the metrics that tell of it
    std::atomic<const verbs::RunningAgent*> running = nullptr;  // for the threads that answer
    std::unique_ptr<present::metrics::MetricsServer> metrics;
    if (port_ >= 0) {
      // Before the agent, which tells the controller where they are.
      metrics =
          TRY(present::metrics::MetricsServer::start({.address = address_, .port = port_, .guard = guard_}, [&running] {
            return running ? present::metrics::render(running.load()->status()) : "";
          }));
      request_.metrics_address = address_ + ":" + std::to_string(metrics->port());
      std::fprintf(stderr, "atys: metrics are at http://%s/metrics\n", request_.metrics_address.c_str());
    }
    agent = TRY(verbs::RunningAgent::start(request_));
    running = agent.get();
    watch(*agent, end);
    return Printed{};
  }

 private:
  // The same rules as a controller's: without a token only for this machine.
  Result<> guard_metrics() {
    if (port_ < 0) return {};
    if (!metrics_token_file_.empty()) guard_.access = Access(TRY(token_of_file(metrics_token_file_)));
    guard_.any_address = !is_loopback(address_);
    if (guard_.any_address && !guard_.access.asks_for_token())
      return fail(ErrorCode::InvalidInput, "without a token only this machine may ask for metrics",
                  "say --metrics-token-file FILE, or listen on 127.0.0.1");
    return {};
  }

  // How its tasks and its controller are, when that changes: who starts it by hand, or reads its log, should not have to
  // ask.
  void watch(const verbs::RunningAgent& agent, verbs::UntilToldToEnd& end) {
    present::text::StateLog log;
    const uint64_t began = clock_ns(CLOCK_MONOTONIC);
    for (uint64_t age = 0; request_.duration_ns == 0 || age < request_.duration_ns;
         age = clock_ns(CLOCK_MONOTONIC) - began) {
      if (end.wait(request_.duration_ns == 0 ? kLookNs : std::min(kLookNs, request_.duration_ns - age))) return;
      const verbs::AgentStatus status = agent.status();
      for (const std::string& line : log.next(states_of(status), clock_ns(CLOCK_MONOTONIC), troubles_of(status)))
        std::fprintf(stderr, "atys: %s\n", line.c_str());
    }
  }

  static constexpr const char* kWindows = "windows";
  static constexpr const char* kClock = "clock";

  // What is worth saying again after a while.
  std::set<std::string> troubles_of(const verbs::AgentStatus& status) const {
    std::set<std::string> troubles;
    if (!status.is_connected) troubles.insert("controller " + request_.controller);
    if (!status.sending_trouble.empty()) troubles.insert(kWindows);
    if (!status.clock_trouble.empty()) troubles.insert(kClock);
    return troubles;
  }

  std::map<std::string, std::string> states_of(const verbs::AgentStatus& status) {
    std::map<std::string, std::string> states;
    if (!request_.controller.empty() && (status.is_connected || !status.trouble.empty()))
      states["controller " + request_.controller] =
          status.is_connected ? "connected" : status.trouble + "; windows wait on disk";
    // Where it is the connection, that says it already.
    const bool tells_sending = status.is_connected && !status.sending_trouble.empty();
    if (tells_sending || states_have_windows_) states[kWindows] = tells_sending ? status.sending_trouble : "sent";
    states_have_windows_ = states_have_windows_ || tells_sending;
    if (!status.clock_trouble.empty() || states_have_clock_)
      states[kClock] = status.clock_trouble.empty() ? "agrees with the controller's" : status.clock_trouble;
    states_have_clock_ = states_have_clock_ || !status.clock_trouble.empty();
    for (const auto& [reason, count] : status.report.dropped_by) states["windows lost, " + reason] = std::to_string(count);
    for (const auto& task : status.report.tasks)
      if (!task.trouble.empty() || task.windows > 0)
        states["task " + task.task] = task.trouble.empty() ? "recording" : task.trouble;
    return states;
  }

  verbs::AgentRequest request_;
  std::vector<std::string> labels_;
  std::string token_file_, join_token_file_, metrics_, metrics_token_file_, max_cpu_, max_memory_, max_spool_, duration_;
  std::string address_;
  int port_ = -1;
  present::HttpGuard guard_;
  bool states_have_windows_ = false, states_have_clock_ = false;  // told of, so that their end is told too
};

}  // namespace

std::unique_ptr<Subcommand> create_agent() { return std::make_unique<AgentSubcommand>(); }

}  // namespace atys::cli

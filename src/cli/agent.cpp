// SPDX-License-Identifier: Apache-2.0
#include "verbs/agent.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "base/quantities.h"
#include "cli/listening.h"
#include "cli/print.h"
#include "present/metrics/agent_metrics.h"
#include "present/metrics/metrics_server.h"
#include "verbs/until_told_to_end.h"

namespace atys::cli {

namespace {

class AgentSubcommand final : public Subcommand {
 public:
  const Manual& manual() const override {
    static constexpr Manual kManual{
        .name = "agent",
        .summary = "Profile the services of this node, for a controller or alone",
        .description =
            "Finds the instances of the services that its tasks name, records them window after window at the lowest rate "
            "that\n"
            "keeps the answer true, and sends what it finds to a controller. While that is away, windows wait on disk. "
            "Metrics\n"
            "for Prometheus are at /metrics. It stays within --max-cpu and --max-memory, whatever its tasks ask for.",
        .examples =
            "  # for a controller\n"
            "  atys agent --controller 10.0.0.1:4317 --token-file /etc/atys/token\n"
            "  # alone: two tasks, seen by Prometheus only\n"
            "  atys agent --task shop.yaml --task search.yaml --metrics 127.0.0.1:9465",
    };
    return kManual;
  }

  void define_options(CLI::App& app) override {
    app.add_option("--controller", request_.controller, "Its gRPC address")
        ->type_name("HOST:PORT")
        ->envname("ATYS_CONTROLLER_GRPC");
    app.add_option("--token-file", token_file_, "The controller's token (default: the variable ATYS_TOKEN)")
        ->type_name("FILE");
    app.add_option("--task", request_.task_files, "A task of its own; may repeat")
        ->type_name("FILE")
        ->allow_extra_args(false);
    app.add_option("--metrics", metrics_, "Where to answer /metrics (default: 127.0.0.1:9465; none: nowhere)")
        ->type_name("ADDRESS:PORT");
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
    if (const char* token = std::getenv("ATYS_TOKEN"); token != nullptr) request_.token = token;
    if (!token_file_.empty()) request_.token = TRY(token_of_file(token_file_));
    if (request_.data_folder.empty()) request_.data_folder = verbs::default_agent_folder();
    return {};
  }

  Result<Printed> run() override {
    verbs::UntilToldToEnd end = TRY(verbs::UntilToldToEnd::create());
    std::unique_ptr<verbs::RunningAgent> agent;                 // outlives the metrics that tell of it
    std::atomic<const verbs::RunningAgent*> running = nullptr;  // for the threads that answer
    std::unique_ptr<present::metrics::MetricsServer> metrics;
    if (port_ >= 0) {
      // Before the agent, which tells the controller where they are.
      metrics = TRY(present::metrics::MetricsServer::start(
          address_, port_, [&running] { return running ? present::metrics::render(running.load()->status()) : ""; }));
      request_.metrics_address = address_ + ":" + std::to_string(metrics->port());
      std::fprintf(stderr, "atys: metrics are at http://%s/metrics\n", request_.metrics_address.c_str());
    }
    agent = TRY(verbs::RunningAgent::start(request_));
    running = agent.get();
    if (request_.duration_ns > 0)
      end.wait(request_.duration_ns);
    else
      end.wait();
    return Printed{};
  }

 private:
  verbs::AgentRequest request_;
  std::vector<std::string> labels_;
  std::string token_file_, metrics_, max_cpu_, max_memory_, max_spool_, duration_;
  std::string address_;
  int port_ = -1;
};

}  // namespace

std::unique_ptr<Subcommand> create_agent() { return std::make_unique<AgentSubcommand>(); }

}  // namespace atys::cli

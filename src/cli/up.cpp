// SPDX-License-Identifier: Apache-2.0
#include "verbs/up.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/quantities.h"
#include "cli/listening.h"
#include "cli/print.h"
#include "present/metrics/agent_metrics.h"
#include "present/metrics/metrics_server.h"
#include "present/web/web_server.h"
#include "verbs/until_told_to_end.h"

namespace atys::cli {

namespace {

constexpr uint64_t kTickNs = 500'000'000;
constexpr uint64_t kLookAroundNs = 5'000'000'000;
constexpr size_t kFunctions = 5;  // among which the culprit nearly always is

class UpSubcommand final : public Subcommand {
 public:
  const Manual& manual() const override {
    static constexpr Manual kManual{
        .name = "up",
        .summary = "Profile what this machine is busy with: controller, agent and page, with no other step",
        .description =
            "Starts a controller and an agent in one process, makes the busiest services its tasks, and prints where their "
            "time\n"
            "goes after the first window. The page, with a flame graph for each service over a chosen time, is on this "
            "machine\n"
            "only and behind a token. Where nothing is busy, a checkout starts its example services, so that there is "
            "something to\n"
            "see. Ctrl-C ends everything; what was recorded stays in --data.",
        .examples =
            "  # what is this machine doing?\n"
            "  atys up\n"
            "  # print the first table and end\n"
            "  atys up --once",
    };
    return kManual;
  }

  void define_options(CLI::App& app) override {
    app.add_option("--listen", listen_, "Where the page and the API are (default: 127.0.0.1:4318)")
        ->type_name("ADDRESS:PORT");
    app.add_option("--data", data_, "Where to keep everything (default: ATYS_HOME/up)")->type_name("FOLDER");
    app.add_option("--window", window_, "How long a window is (default: 10s)")->type_name("TIME");
    app.add_option("--services", services_, "How many services at most (default: 8)")->type_name("N");
    app.add_option("--max-cpu", max_cpu_, "CPU time of the agent, of one core (default: 1%)")->type_name("PERCENT");
    auto* examples = app.add_flag("--examples", examples_, "Start the example services at once (from a checkout)");
    app.add_flag("--no-examples", no_examples_, "Do not start them, even if nothing is busy")->excludes(examples);
    app.add_flag("--once", once_, "End after the first table");
  }

  Result<> prepare() override {
    std::tie(web_.address, web_.port) = TRY(parse_address(listen_.empty() ? "127.0.0.1:4318" : listen_));
    if (!is_loopback(web_.address))
      return fail(ErrorCode::InvalidInput, "`atys up` is for this machine alone",
                  "use `atys controller` and `atys agent` for others");
    if (!window_.empty()) request_.window_ns = TRY(parse_duration(window_));
    if (services_ < 0) return fail(ErrorCode::InvalidInput, "--services must not be negative");
    if (services_ > 0) request_.most_services = static_cast<size_t>(services_);
    if (!max_cpu_.empty()) request_.agent.max_cpu = TRY(parse_percent(max_cpu_));
    if (data_.empty()) data_ = std::filesystem::path(verbs::default_agent_folder()).parent_path().string() + "/up";
    if (const char* found = std::getenv("ATYS_EXAMPLES"); found != nullptr && !no_examples_)
      request_.examples_command = std::string(found) + "/start";
    if (examples_ && request_.examples_command.empty())
      return fail(ErrorCode::NotFound, "the examples are part of a checkout", "run ./atys up --examples there");
    request_.controller.data_folder = data_ + "/controller";
    request_.controller.grpc_address.clear();
    request_.agent.data_folder = data_ + "/agent";
    return {};
  }

  Result<Printed> run() override {
    verbs::UntilToldToEnd end = TRY(verbs::UntilToldToEnd::create());
    std::signal(SIGPIPE, SIG_IGN);
    std::error_code ignored;
    std::filesystem::create_directories(data_, ignored);
    const std::string token = TRY(token_of_file(data_ + "/token"));
    web_.guard.access = request_.controller.access = Access(token);
    std::unique_ptr<verbs::Up> up;                    // outlives the metrics that tell of it
    std::atomic<const verbs::Up*> running = nullptr;  // for the threads that answer
    const auto metrics = TRY(present::metrics::MetricsServer::start(
        "127.0.0.1", 0, [&running] { return running ? present::metrics::render(running.load()->agent_status()) : ""; }));
    request_.agent.metrics_address = "127.0.0.1:" + std::to_string(metrics->port());
    up = TRY(verbs::Up::start(request_));
    if (examples_) TRY(up->start_examples());
    running = up.get();
    const auto web = TRY(present::web::WebServer::start(up->controller(), web_));
    std::fprintf(stderr, "atys: the page is at http://%s:%d/#token=%s\n", web_.address.c_str(), web->port(), token.c_str());
    return watch(*up, end);
  }

 private:
  // Whoever sees nothing should know why, and a newcomer something to look at.
  static Result<> on_idle(verbs::Up& up) {
    if (!up.has_examples()) {
      std::fputs("atys: nothing here takes as much as a hundredth of a CPU; waiting until something does\n", stderr);
      return {};
    }
    std::fputs("atys: nothing here is busy: starting the example services, a small shop and its load\n", stderr);
    return up.start_examples();
  }

  // One table when the first windows are there; then until told to end.
  Result<Printed> watch(verbs::Up& up, verbs::UntilToldToEnd& end) {
    bool is_shown = false;
    bool was_idle = examples_;  // what is told once, or need not be
    uint64_t waited = 0;
    while (!end.wait(kTickNs)) {
      waited += kTickNs;
      if (waited % kLookAroundNs == 0 || waited == 3 * kTickNs) up.look_around();
      if (!was_idle && up.is_idle()) {
        was_idle = true;
        TRY(on_idle(up));
      }
      if (is_shown || !up.has_hotspots()) continue;
      is_shown = true;
      const Printed table = print(TRY(up.hotspots(kFunctions)), json);
      if (once_) return table;
      std::fwrite(table.out.data(), 1, table.out.size(), stdout);
      std::fflush(stdout);
    }
    return Printed{};
  }

  verbs::UpRequest request_;
  present::web::WebOptions web_;
  std::string listen_, data_, window_, max_cpu_;
  int64_t services_ = 0;
  bool examples_ = false;
  bool no_examples_ = false;
  bool once_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> create_up() { return std::make_unique<UpSubcommand>(); }

}  // namespace atys::cli

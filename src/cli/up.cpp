// SPDX-License-Identifier: Apache-2.0
#include "verbs/up.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "base/clock.h"
#include "base/quantities.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "cli/listening.h"
#include "cli/print.h"
#include "cli/raw_text.h"
#include "present/metrics/agent_metrics.h"
#include "present/metrics/metrics_server.h"
#include "present/text/up_watch.h"
#include "present/web/web_server.h"
#include "verbs/profiles/data_folder.h"
#include "verbs/recording/until_told_to_end.h"

namespace atys::cli {

namespace {

constexpr uint64_t kTickNs = 500'000'000;
constexpr uint64_t kLeastBetweenNs = 5'000'000'000;  // tables: who asks for short windows does not read as fast
constexpr size_t kFunctions = 5;                     // among which the culprit nearly always is
constexpr size_t kNamed = 5;

// Whoever read what we write has gone.
bool is_closed(int fd) {
  pollfd out{fd, 0, 0};
  return ::poll(&out, 1, 0) > 0 && (out.revents & (POLLERR | POLLHUP | POLLNVAL)) != 0;
}

bool print_now(const std::string& text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
}

// Of standard output; nothing where it is no terminal, or one that can only print.
present::text::WatchedScreen screen() {
  const char* kind = std::getenv("TERM");
  winsize size{};
  if (::isatty(STDOUT_FILENO) == 0 || kind == nullptr || std::string_view(kind) == "dumb") return {};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) return {24, 80};
  return {size.ws_row, size.ws_col};
}

bool has_functions(const verbs::UpAnswer& answer) {
  return std::ranges::any_of(answer.services,
                             [](const auto& one) { return one.top && reduce::count_rows(one.top->rows) > 0; });
}

std::string time_of_day() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  char text[16];
  return {text, std::strftime(text, sizeof text, "%H:%M:%S", &local)};
}

class UpSubcommand final : public Subcommand {
 public:
  const Manual& manual() const override {
    static constexpr Manual kManual{
        .name = "up",
        .summary = "Profile what this machine is busy with: controller, agent and page, with no other step",
        .description = R"(
          Starts a controller and an agent in one process, makes the busiest services its tasks, and shows where their
          time goes: a table after the first window, and again with each window on a terminal; elsewhere when it says
          something else, and a line a minute when it does not; with --json an object a line for each window. The page,
          with a flame graph for each service over a chosen time, is on this machine only and behind a token. Where
          nothing is busy, a checkout starts its example services, so that there is something to see. Ctrl-C ends
          everything; what was recorded stays in --data.
          )"_text,
        .examples = R"(
          # what is this machine doing?
          atys up
          # print the first table, or that nothing is busy, and end
          atys up --once
        )"_text,
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
    app.add_flag("--allow-inspector", request_.allow_inspector,
                 "Open the inspector of Node.js for names of its functions: local users can connect to it meanwhile");
    app.add_flag("--once", once_, "End after the first table, or when nothing was busy for a window");
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
    request_.data_folder = data_;
    request_.controller.data_folder = data_ + "/controller";
    request_.controller.grpc_address.clear();
    request_.controller.report_again_ns = 2'000'000'000;  // the agent is in this process: to ask costs little
    request_.agent.data_folder = data_ + "/agent";
    return {};
  }

  Result<Printed> run() override {
    verbs::UntilToldToEnd end = TRY(verbs::UntilToldToEnd::create());
    std::signal(SIGPIPE, SIG_IGN);
    TRY(verbs::make_data_folder(data_));
    const std::string token = TRY(token_of_file(data_ + "/token"));
    web_.guard.access = request_.controller.access = Access(token);
    std::unique_ptr<verbs::Up> up;                    // outlives the metrics that tell of it
    std::atomic<const verbs::Up*> running = nullptr;  // for the threads that answer
    const auto metrics = TRY(present::metrics::MetricsServer::start(
        {}, [&running] { return running ? present::metrics::render(running.load()->agent_status()) : ""; }));
    request_.agent.metrics_address = "127.0.0.1:" + std::to_string(metrics->port());
    auto begun = verbs::Up::start(request_);
    if (!begun.ok() && begun.error().code == ErrorCode::Unavailable)
      return fail(begun.error().code, begun.error().message,
                  "is it another `atys up`? end that one, or say another folder with --data");
    up = TRY(std::move(begun));
    if (examples_) TRY(up->start_examples());
    running = up.get();
    auto started = present::web::WebServer::start(up->controller(), web_);
    if (!started.ok())
      return fail(started.error().code, started.error().message,
                  "is the port in use, by another `atys up`? say another with --listen; port 0 takes any that is free");
    const auto web = started.take();
    std::fprintf(stderr, "atys: the page is at http://%s:%d/#token=%s\n", web_.address.c_str(), web->port(), token.c_str());
    return watch(*up, end);
  }

 private:
  // Whoever sees nothing should know why, and a newcomer something to look at.
  Result<> on_idle(verbs::Up& up) const {
    if (up.has_examples()) {
      tell("nothing here is busy: starting the example services, a small shop and its load");
      return up.start_examples();
    }
    tell(std::string("nothing here takes as much as a hundredth of a CPU; ") +
         (once_ ? "looking for some seconds more" : "waiting until something does"));
    return {};
  }

  void on_recording(const verbs::Up& up) const {
    const std::vector<std::string> names = up.services();
    std::string list = joined(std::span(names).first(std::min(names.size(), kNamed)));
    if (names.size() > kNamed) list += " and " + std::to_string(names.size() - kNamed) + " more";
    tell("recording " + list + "; the first table comes after a window of " +
         std::to_string(request_.window_ns / 1'000'000'000) + " s, and what it takes to read names within the budget");
  }

  static void tell(const std::string& line) { std::fprintf(stderr, "atys: %s\n", printable(line).c_str()); }

  // What is left of it: who has pressed Ctrl-C need not wonder where it went.
  void tell_end(const verbs::Up& up) const {
    const uint64_t windows = up.windows();
    if (windows == 0) return tell("ended; nothing was recorded");
    tell("ended; " + std::to_string(windows) + (windows == 1 ? " window is" : " windows are") + " kept in " + data_ +
         ", where the next `atys up` goes on");
  }

  // What is going on, when it changes, until there is something to show.
  Result<> tell_state(verbs::Up& up) {
    const verbs::Up::State state = up.state();
    if (state == told_) return {};
    told_ = state;
    if (state == verbs::Up::State::Recording) on_recording(up);
    if (state == verbs::Up::State::Idle && !was_idle_) {
      was_idle_ = true;
      TRY(on_idle(up));
    }
    return {};
  }

  // There is something to show. Who waits for one table gets it when it is complete, be it that nothing is busy.
  bool is_table_due(const verbs::Up& up) const {
    if (once_) return up.is_complete();
    return up.state() == verbs::Up::State::Ready || (up.state() == verbs::Up::State::Recording && up.is_complete());
  }

  // The first table, then one with each window, as far as it says something else (present/text/up_watch.h).
  Result<Printed> watch(verbs::Up& up, verbs::UntilToldToEnd& end) {
    present::text::UpWatch shown(json);
    was_idle_ = examples_;  // what is told once, or need not be
    uint64_t next_ns = 0;   // 0: the first is still to come
    while (!is_closed(STDOUT_FILENO)) {
      if (end.wait(kTickNs)) {
        tell_end(up);
        break;
      }
      up.look_around();
      const uint64_t now = clock_ns(CLOCK_MONOTONIC);
      if (next_ns == 0) TRY(tell_state(up));
      if (next_ns == 0 ? !is_table_due(up) : now < next_ns) continue;
      const verbs::UpAnswer answer = TRY(up.hotspots(kFunctions));
      if (once_) return print(answer, json);
      if (next_ns == 0 && !has_functions(answer) && !up.is_complete()) continue;  // on its way to the store
      next_ns = now + std::max(request_.window_ns, kLeastBetweenNs);
      if (!print_now(shown.next(answer, screen(), now, time_of_day()))) break;
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
  bool was_idle_ = false;
  verbs::Up::State told_ = verbs::Up::State::Looking;
};

}  // namespace

std::unique_ptr<Subcommand> create_up() { return std::make_unique<UpSubcommand>(); }

}  // namespace atys::cli

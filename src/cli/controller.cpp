// SPDX-License-Identifier: Apache-2.0
#include "verbs/controller.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "base/clock.h"
#include "base/quantities.h"
#include "base/token.h"
#include "cli/listening.h"
#include "cli/print.h"
#include "cli/raw_text.h"
#include "cli/token_files.h"
#include "present/text/state_log.h"
#include "present/web/web_server.h"
#include "verbs/profiles/data_folder.h"
#include "verbs/recording/until_told_to_end.h"

namespace atys::cli {

namespace {

constexpr uint64_t kLookNs = 10'000'000'000;
constexpr uint64_t kTokensNs = 1'000'000'000;  // how soon a token that was replaced is the one that counts

std::string in_url(const std::string& address) {
  return address.find(':') == std::string::npos ? address : "[" + address + "]";
}

class ControllerSubcommand final : public Subcommand {
 public:
  const Manual& manual() const override {
    static constexpr Manual kManual{
        .name = "controller",
        .summary = "Run the controller of a fleet: it gives tasks to agents, keeps what they send, and answers",
        .description = R"(
          Takes profiles by OTLP, over gRPC and HTTP, from agents and from anybody else; keeps them in --data; serves
          the API, metrics and service discovery for Prometheus, and a plain page. With --upstream it passes what it has
          on to another controller, merged by minute, and hands down that one's tasks.

          Listens on this machine only unless told otherwise. Everybody has to know the token, which is made and kept in
          --data/token unless --token-file names another file. Who knows it may do everything; agents and people who
          only ask may have tokens of their own, and nodes that join get one each (--tokens). Files of tokens are read
          again when they change. What changes the tasks is put down in --data/audit.log.
          )"_text,
        .examples = R"(
          # on this machine
          atys controller
          # for a fleet, with TLS
          atys controller --listen 0.0.0.0:4318 --grpc 0.0.0.0:4317 --data /var/lib/atys --cert c.pem --key k.pem
          # a controller of a site that reports to one above
          atys controller --upstream root.example:4317 --upstream-token-file /etc/atys/root-token
        )"_text,
    };
    return kManual;
  }

  void define_options(CLI::App& app) override {
    app.add_option("--listen", listen_, "Where to answer HTTP (default: 127.0.0.1:4318)")->type_name("ADDRESS:PORT");
    app.add_option("--grpc", grpc_, "Where to answer gRPC (default: 127.0.0.1:4317; none: nowhere)")
        ->type_name("ADDRESS:PORT");
    app.add_option("--data", request_.data_folder, "Where to keep everything (default: ATYS_HOME/controller)")
        ->type_name("FOLDER");
    app.add_option("--store", request_.store, "Where to keep profiles (default: embedded:FOLDER, below --data)")
        ->type_name("URL");
    app.add_option("--token-file", token_file_, "The token, in a file that is made if it is not there")->type_name("FILE");
    app.add_option("--read-token-file", read_token_file_, "Another token, for whoever only asks; made likewise")
        ->type_name("FILE");
    app.add_option("--capture-token-file", capture_token_file_, "Another token, for agents; made likewise")
        ->type_name("FILE");
    app.add_option("--tokens", tokens_file_,
                   "More tokens, a line each: ROLE TOKEN services=GLOB,…; roles are read, capture, join, controller, admin")
        ->type_name("FILE");
    app.add_flag("--no-token", no_token_, "Ask for no token: every user of this machine may do everything");
    app.add_option("--host", hosts_, "A name by which we may be called, besides localhost and addresses; may repeat")
        ->type_name("NAME")
        ->allow_extra_args(false);
    app.add_option("--name", request_.name, "What this controller is called (default: the host's name)")->type_name("NAME");
    for (size_t level = 0; level < keep_.size(); ++level)
      app.add_option(kKeepOptions[level].first, keep_[level], kKeepOptions[level].second)
          ->type_name("TIME")
          ->group("Retention");
    app.add_option("--max-bytes", max_bytes_,
                   "Size on disk; the oldest goes first (default: half of the disk, with 5 % of it left free)")
        ->type_name("SIZE")
        ->group("Retention");
    app.add_option("--upstream", request_.upstream, "gRPC address of a controller to report to")
        ->type_name("HOST:PORT")
        ->group("Upstream");
    app.add_flag("--insecure-token", request_.allows_token_in_clear, "Send its token without TLS, also over a network")
        ->group("Upstream");
    app.add_option("--upstream-token-file", upstream_token_file_, "Its token")->type_name("FILE")->group("Upstream");
    app.add_flag("--upstream-tls", request_.upstream_tls, "Speak TLS with it")->group("Upstream");
    app.add_option("--upstream-ca", request_.upstream_authority, "Whom to trust (PEM)")
        ->type_name("FILE")
        ->group("Upstream");
    app.add_option("--pass-on", pass_on_, "What is merged before it is passed on (default: 1m)")
        ->type_name("TIME")
        ->group("Upstream");
    app.add_option("--cert", request_.tls_certificate, "Our certificate (PEM), for HTTP and gRPC")
        ->type_name("FILE")
        ->group("TLS");
    app.add_option("--key", request_.tls_key, "Its key (PEM)")->type_name("FILE")->group("TLS");
    app.add_option("--ca", request_.tls_authority, "Who may connect, by certificate (PEM)")->type_name("FILE")->group("TLS");
  }

  Result<> prepare() override {
    std::tie(web_.address, web_.port) = TRY(parse_address(listen_.empty() ? "127.0.0.1:4318" : listen_));
    if (grpc_ == "none") {
      request_.grpc_address.clear();
    } else {
      const auto [address, port] = TRY(parse_address(grpc_.empty() ? "127.0.0.1:4317" : grpc_));
      grpc_host_ = address;
      request_.grpc_address = in_url(address) + ":" + std::to_string(port);
    }
    if (no_token_ && (!is_loopback(web_.address) || (!grpc_host_.empty() && !is_loopback(grpc_host_))))
      return fail(ErrorCode::InvalidInput, "without a token only this machine may connect", "listen on 127.0.0.1");
    for (size_t level = 0; level < keep_.size(); ++level)
      if (!keep_[level].empty()) request_.keep_ns[level] = TRY(parse_duration(keep_[level]));
    if (!max_bytes_.empty()) request_.keep_bytes = TRY(parse_bytes(max_bytes_));
    if (!pass_on_.empty()) {
      request_.pass_on_ns = TRY(parse_duration(pass_on_));
      request_.pass_on_grace_ns = request_.pass_on_ns / 2;
    }
    if (request_.data_folder.empty()) request_.data_folder = verbs::default_controller_folder();
    if (!upstream_token_file_.empty()) {
      request_.upstream_token = TRY(token_of_existing_file(upstream_token_file_));
      request_.read_upstream_token = [path = upstream_token_file_] { return token_of_existing_file(path); };
    }
    return {};
  }

  Result<Printed> run() override {
    verbs::UntilToldToEnd end = TRY(verbs::UntilToldToEnd::create());
    std::signal(SIGPIPE, SIG_IGN);
    TRY(choose_token());
    const std::unique_ptr<verbs::RunningController> controller = TRY(verbs::RunningController::start(request_));
    web_.guard.access = request_.access;
    web_.guard.hosts = own_names();
    web_.guard.any_address = !is_loopback(web_.address);
    web_.tls = {request_.tls_authority, request_.tls_certificate, request_.tls_key};
    const std::unique_ptr<present::web::WebServer> web = TRY(present::web::WebServer::start(*controller, web_));
    announce(*controller, *web);
    present::text::StateLog log;
    for (uint64_t waited = kTokensNs; !end.wait(kTokensNs); waited += kTokensNs) {
      renew_tokens();
      if (waited % kLookNs != 0) continue;
      for (const std::string& line : log.next(states_of(*controller), clock_ns(CLOCK_MONOTONIC)))
        std::fprintf(stderr, "atys: %s\n", line.c_str());
    }
    return Printed{};
  }

 private:
  static constexpr std::array<std::pair<const char*, const char*>, 3> kKeepOptions{
      {{"--keep-windows", "How long windows are kept (default: 3d)"},
       {"--keep-minutes", "How long sums per minute are kept (default: 30d)"},
       {"--keep-hours", "How long sums per hour are kept (default: 365d)"}}};

  // What goes on behind what it answers: the controller above, and its own store.
  std::map<std::string, std::string> states_of(verbs::RunningController& controller) const {
    std::map<std::string, std::string> states;
    const Result<verbs::ControllerStatus> status = controller.status();
    if (!status.ok()) return {{"store", status.error().message}};
    const auto& upstream = status->upstream;
    if (status->has_upstream && (upstream.is_connected || !upstream.trouble.empty()))
      states["controller above, " + request_.upstream] =
          upstream.is_connected ? "connected" : upstream.trouble + "; what is to be passed on waits on disk";
    if (!status->problems.empty()) states["store"] = status->problems.back();
    if (!status->store_trouble.empty())
      states["store"] = status->store_trouble + "; agents keep their windows until it is mended";
    return states;
  }

  // After the folder is there, which the token may lie in.
  Result<> choose_token() {
    if (no_token_) return {};
    TRY(verbs::make_data_folder(request_.data_folder));
    if (token_file_.empty()) token_file_ = request_.data_folder + "/token";
    TRY(tokens_.add(token_file_, Role::Admin));
    if (!read_token_file_.empty()) TRY(tokens_.add(read_token_file_, Role::Read));
    if (!capture_token_file_.empty()) TRY(tokens_.add(capture_token_file_, Role::Capture));
    if (!tokens_file_.empty()) TRY(tokens_.add_list(tokens_file_));
    tokens_.have_changed();
    request_.access.replace(TRY(tokens_.read()));
    return {};
  }

  // What cannot be read leaves the tokens as they are: a file that is being written must lock nobody out.
  void renew_tokens() {
    if (no_token_ || !tokens_.have_changed()) return;
    auto read = tokens_.read();
    if (!read.ok()) {
      std::fprintf(stderr, "atys: the tokens stay as they were: %s\n", read.error().message.c_str());
      return;
    }
    request_.access.replace(read.take());
    std::fprintf(stderr, "atys: the tokens were read again\n");
  }

  std::vector<std::string> own_names() const {
    std::vector<std::string> names = hosts_;
    char name[256] = {};
    if (::gethostname(name, sizeof name - 1) == 0) names.emplace_back(name);
    return names;
  }

  void announce(const verbs::RunningController& controller, const present::web::WebServer& web) const {
    const char* scheme = request_.tls_certificate.empty() ? "http" : "https";
    std::fprintf(stderr, "atys: listening on %s://%s:%d/\n", scheme, in_url(web_.address).c_str(), web.port());
    if (controller.grpc_port() != 0)
      std::fprintf(stderr, "atys: gRPC on %s:%d\n", in_url(grpc_host_).c_str(), controller.grpc_port());
    if (!no_token_) std::fprintf(stderr, "atys: the token is in %s\n", token_file_.c_str());
    const bool is_open = !is_loopback(web_.address) || (!grpc_host_.empty() && !is_loopback(grpc_host_));
    if (is_open && request_.tls_certificate.empty())
      std::fprintf(stderr, "atys: note: other machines can connect, and what is sent is not encrypted\n");
  }

  verbs::ControllerRequest request_;
  present::web::WebOptions web_;
  std::string listen_, grpc_, grpc_host_, token_file_, read_token_file_, capture_token_file_, tokens_file_,
      upstream_token_file_, max_bytes_, pass_on_;
  TokenFiles tokens_;
  std::array<std::string, 3> keep_;
  std::vector<std::string> hosts_;
  bool no_token_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> create_controller() { return std::make_unique<ControllerSubcommand>(); }

}  // namespace atys::cli

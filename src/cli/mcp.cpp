// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <filesystem>

#include "base/quantities.h"
#include "base/token.h"
#include "cli/ledger_options.h"
#include "cli/listening.h"
#include "cli/print.h"
#include "cli/raw_text.h"
#include "present/mcp/local_performer.h"
#include "present/mcp/transport/http_transport.h"
#include "present/mcp/transport/stdio_transport.h"
#include "present/mcp/worker.h"

namespace atys::cli {

namespace {

namespace mcp = present::mcp;

class McpSubcommand final : public Subcommand {
 public:
  const Manual& manual() const override {
    static constexpr Manual kManual{
        .name = "mcp",
        .summary = "Offer profiling as tools to language-model clients",
        .description = R"(
          Speaks the Model Context Protocol on standard input and output, or over HTTP: tools to capture, summarise,
          diff, link, compare and list profiles. Revisions 2026-07-28, 2025-11-25 and those before.

          A client may run programs that lie in the folder in which the server was started, and interpreters of a script
          that does (python3 FILE), and record processes of the server's user. A server of root runs no commands until
          it is told which, and records only processes that run in that folder or were started from there. With any
          --allow option only what those name is allowed. What a call starts ends with the call. A program of the tree
          may do all that the user may.

          Over HTTP a token is asked for, printed at the start; requests from web pages of others are refused.
          )"_text,
        .examples = R"(
          # in a client's configuration
          atys mcp
          # over HTTP, for several clients
          atys mcp --http 127.0.0.1:7777 --token-file ~/.atys-token
          # reading, and recording what runs already
          atys mcp --no-run
          # as root, in a container: what is in this folder
          atys mcp --allow-tree .
          # only these
          atys mcp --allow-command '/opt/app/bin/*' --allow-user www-data
        )"_text,
    };
    return kManual;
  }

  void define_options(CLI::App& app) override {
    app.add_option("--http", http_, "Listen there instead of using standard input and output; POST to /mcp")
        ->type_name("ADDRESS:PORT");
    app.add_option("--token-file", token_file_, "The token for HTTP, in a file that is made if it is not there")
        ->type_name("FILE");
    app.add_flag("--no-token", no_token_, "Ask for no token: every user of this machine may use the server");
    app.add_option("--host", hosts_, "A name by which clients may call us, besides localhost; may repeat")
        ->type_name("NAME")
        ->allow_extra_args(false);
    repeated(app, "--allow-command", allow_.commands, "Commands: glob of the program's path, or of a name on PATH", "GLOB");
    repeated(app, "--allow-tree", allow_.trees, "Programs, scripts and processes in a folder", "FOLDER");
    repeated(app, "--allow-user", allow_.users, "Processes of a user", "USER");
    app.add_option("--allow-pid", allow_.pids, "Processes")->delimiter(',')->type_name("PID,…")->group("Allow");
    app.add_flag("--allow-fleet", allow_.fleet,
                 "Services of the controller that ATYS_CONTROLLER names, besides what else is allowed")
        ->group("Allow");
    app.add_flag("--no-run", allow_.no_run, "Run no command, whatever else is allowed: read, and record what runs")
        ->group("Allow");
    app.add_flag("--allow-any", allow_.any, "Everything, the whole host too")->group("Allow");
    app.add_option("--max-duration", max_duration_,
                   "How long one capture may take (default: 50s; many clients wait a minute)")
        ->type_name("TIME")
        ->group("Limits");
    app.add_option("--max-tokens", max_tokens_, "Length of an answer that asks for none (default: 1000)")
        ->type_name("N")
        ->group("Limits");
    ledger_.define(app);
    app.add_flag("--worker", is_worker_)->group("");
  }

  Result<> prepare() override {
    if (!max_duration_.empty()) context_.most_duration_ns = TRY(parse_duration(max_duration_));
    if (max_tokens_ < 0) return fail(ErrorCode::InvalidInput, "--max-tokens must not be negative");
    if (max_tokens_ > 0) context_.default_tokens = static_cast<size_t>(max_tokens_);
    if (!http_.empty()) {
      std::tie(address_, port_) = TRY(parse_address(http_));
      if (no_token_ && !is_loopback(address_))
        return fail(ErrorCode::InvalidInput, "without a token only this machine may connect", "listen on 127.0.0.1");
    }
    std::error_code error;
    permission_.emplace(TRY(verbs::Permission::create(allow_, std::filesystem::current_path(error).string())));
    context_.permission = &*permission_;
    context_.ledger = ledger_.choice();
    return {};
  }

  Result<Printed> run() override {
    if (is_worker_) {
      mcp::LocalPerformer performer(context_);
      return Printed{.status = mcp::run_worker(performer)};
    }
    // A worker or a client that goes away must not take us with it.
    std::signal(SIGPIPE, SIG_IGN);
    mcp::WorkerPerformer performer(worker_arguments());
    const mcp::Server server(mcp::product_catalog(ATYS_VERSION, *permission_));
    if (http_.empty()) tell_what_does_not_run();
    if (http_.empty())
      TRY(mcp::serve_stdio(server, performer, STDIN_FILENO, STDOUT_FILENO));
    else
      TRY(serve_http(server, performer));
    return Printed{};
  }

 private:
  // Whoever did not ask for it should know before a client does.
  void tell_what_does_not_run() const {
    if (const std::string why = permission_->why_no_command(); !why.empty() && !allow_.no_run)
      std::fprintf(stderr, "atys: note: %s; --allow-tree FOLDER or --allow-command GLOB says which it may\n", why.c_str());
  }

  static void repeated(CLI::App& app, const char* name, std::vector<std::string>& values, const char* text,
                       const char* type) {
    app.add_option(name, values, std::string(text) + "; may repeat")
        ->type_name(type)
        ->allow_extra_args(false)
        ->group("Allow");
  }

  std::vector<std::string> worker_arguments() const {
    std::vector<std::string> words;
    for (const std::string& glob : allow_.commands) words.insert(words.end(), {"--allow-command", glob});
    for (const std::string& tree : allow_.trees) words.insert(words.end(), {"--allow-tree", tree});
    for (const std::string& user : allow_.users) words.insert(words.end(), {"--allow-user", user});
    for (const int pid : allow_.pids) words.insert(words.end(), {"--allow-pid", std::to_string(pid)});
    if (allow_.any) words.emplace_back("--allow-any");
    if (allow_.fleet) words.emplace_back("--allow-fleet");
    if (allow_.no_run) words.emplace_back("--no-run");
    if (!max_duration_.empty()) words.insert(words.end(), {"--max-duration", max_duration_});
    if (max_tokens_ > 0) words.insert(words.end(), {"--max-tokens", std::to_string(max_tokens_)});
    if (const verbs::LedgerChoice ledger = ledger_.choice(); !ledger.id.empty()) {
      words.insert(words.end(), {"--ledger", ledger.id});
      if (ledger.all_or_nothing) words.emplace_back("--all-or-nothing");
    }
    return words;
  }

  Result<> serve_http(const mcp::Server& server, mcp::Performer& performer) const {
    mcp::HttpOptions options{.address = address_, .port = port_};
    options.guard.hosts = hosts_;
    std::string token;
    if (!no_token_) token = token_file_.empty() ? TRY(random_token()) : TRY(token_of_file(token_file_));
    options.guard.access = Access(token);
    options.on_listening = [&](int port) {
      const std::string host = address_.find(':') == std::string::npos ? address_ : "[" + address_ + "]";
      std::fprintf(stderr, "atys: listening on http://%s:%d/mcp\n", host.c_str(), port);
      if (!no_token_ && token_file_.empty()) std::fprintf(stderr, "atys: token %s\n", token.c_str());
      if (!is_loopback(address_))
        std::fprintf(stderr, "atys: note: other machines can connect, and what is sent is not encrypted\n");
      tell_what_does_not_run();
    };
    return mcp::serve_http(server, performer, options);
  }

  std::string http_, token_file_, max_duration_, address_;
  int port_ = 0;
  bool no_token_ = false;
  bool is_worker_ = false;
  int64_t max_tokens_ = 0;
  std::vector<std::string> hosts_;
  verbs::AllowList allow_;
  LedgerFlags ledger_;
  std::optional<verbs::Permission> permission_;
  mcp::ToolContext context_;
};

}  // namespace

std::unique_ptr<Subcommand> create_mcp() { return std::make_unique<McpSubcommand>(); }

}  // namespace atys::cli

// SPDX-License-Identifier: Apache-2.0
#include "present/web/web_server.h"

#include <httplib.h>

#include <thread>

#include "present/http_listen.h"
#include "present/json/answers.h"
#include "present/json/fleet.h"
#include "present/metrics/controller_metrics.h"
#include "present/metrics/metric_text.h"
#include "present/web/http_status.h"
#include "present/web/page.h"
#include "present/web/parameters.h"

namespace atys::present::web {

namespace {

constexpr const char* kJsonType = "application/json";
constexpr const char* kProtobufType = "application/x-protobuf";
constexpr size_t kThreads = 16;
constexpr size_t kMostMessageBytes = size_t{64} << 20;
constexpr size_t kMostTaskBytes = size_t{128} << 10;
constexpr size_t kAdmitted = size_t{64} << 10;  // bytes of a message are let in by so many
constexpr time_t kReadSeconds = 15;

using Request = httplib::Request;
using Response = httplib::Response;

void set_json(Response& response, const std::string& body, int status = 200) {
  response.status = status;
  response.set_content(body, kJsonType);
}

void set_error(Response& response, const Error& error) {
  if (error.code == ErrorCode::Unavailable) response.set_header("Retry-After", "5");
  set_json(response, json::render(error), status_of(error));
}

template <typename Answer>
void set_answer(Response& response, const Result<Answer>& answer) {
  if (!answer.ok()) return set_error(response, answer.error());
  set_json(response, json::render(*answer));
}

Error too_large() { return fail(ErrorCode::ResourceExhausted, "a message of more than 64 MiB", "send less at once"); }

// A page may do nothing but show what it has from us.
void set_page(Response& response) {
  response.set_header("Content-Security-Policy",
                      "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; "
                      "frame-src blob:; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
  response.set_header("X-Content-Type-Options", "nosniff");
  response.set_header("Referrer-Policy", "no-referrer");
  response.set_content(std::string(kPage), "text/html; charset=utf-8");
}

class Server final : public WebServer {
 public:
  Server(verbs::RunningController& controller, WebOptions options)
      : controller_(controller), options_(std::move(options)), http_(make_server()) {}
  ~Server() override {
    http_->stop();
    if (thread_.joinable()) thread_.join();
  }

  Result<> listen();
  int port() const override { return port_; }

 private:
  using Handler = void (Server::*)(const Request&, Response&);

  std::unique_ptr<httplib::Server> make_server() const {
    if (options_.certificate_file.empty()) return std::make_unique<httplib::Server>();
    return std::make_unique<httplib::SSLServer>(options_.certificate_file.c_str(), options_.key_file.c_str());
  }
  void add_routes();
  void configure();
  bool admit(const Request& request, Response& response, Role needs);
  httplib::Server::Handler guarded(Handler handler, Role needs = Role::Read) {
    return [this, handler, needs](const Request& request, Response& response) {
      if (admit(request, response, needs)) (this->*handler)(request, response);
    };
  }
  verbs::Caller caller_of(const Request& request) const;

  void services(const Request&, Response& response) { set_answer(response, controller_.services()); }
  void nodes(const Request&, Response& response) { set_json(response, json::render(controller_.nodes())); }
  void forget_node(const Request& request, Response& response) {
    set_answer(response, controller_.forget_node(request.matches[1], caller_of(request)));
  }
  void tasks(const Request&, Response& response) { set_json(response, json::render(controller_.tasks())); }
  void task(const Request& request, Response& response) { set_answer(response, controller_.task(request.matches[1])); }
  void stop_task(const Request& request, Response& response) {
    set_answer(response, controller_.stop_task(request.matches[1], caller_of(request)));
  }
  void delete_task(const Request& request, Response& response) {
    set_answer(response, controller_.delete_task(request.matches[1], caller_of(request)));
  }
  void apply_task(const Request& request, Response& response, const httplib::ContentReader& read);
  void profile(const Request& request, Response& response);
  void top(const Request& request, Response& response);
  void series(const Request& request, Response& response);
  void metrics(const Request& request, Response& response);
  void discovery(const Request&, Response& response) { set_json(response, metrics::discovery(controller_.nodes())); }
  void otlp(const Request& request, Response& response, const httplib::ContentReader& read);
  Result<std::string> read_message(const Request& request, const httplib::ContentReader& read,
                                   std::vector<verbs::Admission::Ticket>& tickets);

  verbs::RunningController& controller_;
  const WebOptions options_;
  std::unique_ptr<httplib::Server> http_;
  int port_ = -1;
  std::thread thread_;
  std::atomic<uint64_t> refused_tokens_ = 0;
};

std::optional<std::string> header_of(const Request& request, const char* name) {
  return request.has_header(name) ? std::optional(request.get_header_value(name)) : std::nullopt;
}

verbs::Caller Server::caller_of(const Request& request) const {
  const std::string authorization = request.get_header_value("Authorization");
  return {options_.guard.access.role_of(authorization).value_or(Role::Read), request.remote_addr};
}

void set_refusal(Response& response, const HttpGuard::Refusal& refusal) {
  if (refusal.status == 401) response.set_header("WWW-Authenticate", "Bearer realm=\"atys\"");
  set_json(response, json::render(fail(ErrorCode::PermissionDenied, refusal.why)), refusal.status);
}

bool Server::admit(const Request& request, Response& response, Role needs) {
  const auto origin = header_of(request, "Origin");
  const auto authorization = header_of(request, "Authorization");
  const auto refusal = options_.guard.check(request.get_header_value("Host"), origin ? &*origin : nullptr,
                                            authorization ? &*authorization : nullptr, needs);
  if (!refusal) return true;
  if (refusal->status == 401) ++refused_tokens_;
  // Of strangers nothing is put down: they could fill the log until what matters is gone.
  const bool is_known = options_.guard.access.role_of(authorization.value_or("")).has_value();
  if (refusal->status == 403 && needs == Role::Admin && is_known)
    controller_.audit(caller_of(request), request.method, request.path, refusal->why);
  set_refusal(response, *refusal);
  return false;
}

void Server::apply_task(const Request& request, Response& response, const httplib::ContentReader& read) {
  if (!admit(request, response, Role::Admin)) return;
  std::string text;
  const bool is_whole = read([&](const char* bytes, size_t size) {
    text.append(bytes, size);
    return text.size() <= kMostTaskBytes;
  });
  if (!is_whole) return set_error(response, fail(ErrorCode::ResourceExhausted, "a task of more than 64 KiB, or cut off"));
  set_answer(response, controller_.apply_task(text, request.matches[1], caller_of(request)));
}

void Server::profile(const Request& request, Response& response) {
  const auto query = query_of(request.params, controller_.now_ns());
  if (!query.ok()) return set_error(response, query.error());
  const std::string format = parameter(request.params, "to_format");
  const auto sent = controller_.profile(*query, format.empty() ? "pprof" : format);
  if (!sent.ok()) return set_error(response, sent.error());
  response.set_header("X-Content-Type-Options", "nosniff");
  response.set_header("Content-Security-Policy", "sandbox allow-scripts");  // a page of names from anywhere
  response.set_header("X-Atys-Windows", std::to_string(sent->windows));
  response.set_header("X-Atys-Exact", sent->is_exact ? "true" : "false");
  response.set_header("X-Atys-Damaged", std::to_string(sent->problems));
  response.set_content(sent->bytes, sent->media_type);
}

void Server::top(const Request& request, Response& response) {
  const auto query = query_of(request.params, controller_.now_ns());
  if (!query.ok()) return set_error(response, query.error());
  const auto view = view_of(request.params);
  if (!view.ok()) return set_error(response, view.error());
  set_answer(response, controller_.top(*query, *view));
}

void Server::series(const Request& request, Response& response) {
  const auto query = query_of(request.params, controller_.now_ns());
  if (!query.ok()) return set_error(response, query.error());
  const auto step = step_of(request.params, *query);
  if (!step.ok()) return set_error(response, step.error());
  set_answer(response, controller_.series(*query, *step, parameter(request.params, "function")));
}

void Server::metrics(const Request&, Response& response) {
  const auto status = controller_.status();
  if (!status.ok()) return set_error(response, status.error());
  const uint64_t refused = controller_.refused_tokens() + refused_tokens_;
  response.set_content(metrics::render(*status, controller_.nodes(), refused), std::string(metrics::kMetricMediaType));
}

// The library has taken gzip off as the bytes came, so what is counted is what is held.
Result<std::string> Server::read_message(const Request&, const httplib::ContentReader& read,
                                         std::vector<verbs::Admission::Ticket>& tickets) {
  std::string body;
  std::optional<Error> refused;
  const bool is_whole = read([&](const char* bytes, size_t size) {
    if (body.size() + size > kMostMessageBytes) {
      refused = too_large();
      return false;
    }
    while (tickets.size() * kAdmitted < body.size() + size) {
      auto ticket = controller_.door().admit(kAdmitted);
      if (!ticket.ok()) {
        refused = ticket.error();
        return false;
      }
      tickets.push_back(ticket.take());
    }
    body.append(bytes, size);
    return true;
  });
  if (refused) return *refused;
  if (!is_whole) return fail(ErrorCode::InvalidInput, "the body is cut off, or is not compressed as it says");
  return body;
}

void Server::otlp(const Request& request, Response& response, const httplib::ContentReader& read) {
  if (!admit(request, response, Role::Capture)) return;
  const std::string type = request.get_header_value("Content-Type");
  const bool is_json = type.starts_with(kJsonType);
  const auto refuse = [&](const Error& error) {
    if (error.code == ErrorCode::Unavailable) response.set_header("Retry-After", "5");
    response.status = status_of(error);
    response.set_content(otlp_status(error, is_json), is_json ? kJsonType : kProtobufType);
  };
  if (!is_json && !type.starts_with(kProtobufType) && !type.starts_with("application/protobuf"))
    return refuse(fail(ErrorCode::Unsupported, "Content-Type is neither application/x-protobuf nor application/json"));
  if (request.get_header_value<uint64_t>("Content-Length") > kMostMessageBytes) return refuse(too_large());
  std::vector<verbs::Admission::Ticket> tickets;
  const auto message = read_message(request, read, tickets);
  if (!message.ok()) return refuse(message.error());
  const auto from = options_.guard.access.identify(request.get_header_value("Authorization"));
  if (!from) return refuse(fail(ErrorCode::PermissionDenied, "the token was taken back"));
  const auto answer =
      controller_.receive(*message, is_json ? verbs::OtlpEncoding::Json : verbs::OtlpEncoding::Protobuf, *from);
  if (!answer.ok()) return refuse(answer.error());
  response.set_content(is_json ? encode_json(*answer) : encode(*answer), is_json ? kJsonType : kProtobufType);
}

void Server::add_routes() {
  httplib::Server& http = *http_;
  http.Get("/healthz", [](const Request&, Response& response) { response.set_content("ok\n", "text/plain"); });
  http.Get("/", [this](const Request& request, Response& response) {
    const auto origin = header_of(request, "Origin");
    const auto refusal = options_.guard.check_place(request.get_header_value("Host"), origin ? &*origin : nullptr);
    refusal ? set_refusal(response, *refusal) : set_page(response);
  });
  http.Get("/metrics", guarded(&Server::metrics));
  http.Get("/sd", guarded(&Server::discovery));
  http.Get("/api/v1/services", guarded(&Server::services));
  http.Get("/api/v1/nodes", guarded(&Server::nodes));
  http.Delete(R"(/api/v1/nodes/([^/]+))", guarded(&Server::forget_node, Role::Admin));
  http.Get("/api/v1/tasks", guarded(&Server::tasks));
  http.Get(R"(/api/v1/tasks/([^/]+))", guarded(&Server::task));
  http.Delete(R"(/api/v1/tasks/([^/]+))", guarded(&Server::delete_task, Role::Admin));
  http.Post(R"(/api/v1/tasks/([^/]+)/stop)", guarded(&Server::stop_task, Role::Admin));
  http.Put(R"(/api/v1/tasks/([^/]+))", [this](const Request& request, Response& response,
                                              const httplib::ContentReader& read) { apply_task(request, response, read); });
  http.Get("/api/v1/profile", guarded(&Server::profile));
  http.Get("/api/v1/top", guarded(&Server::top));
  http.Get("/api/v1/series", guarded(&Server::series));
  http.Post("/v1development/profiles", [this](const Request& request, Response& response,
                                              const httplib::ContentReader& read) { otlp(request, response, read); });
  http.set_error_handler([](const Request&, Response& response) {
    if (!response.body.empty()) return;
    const int status = response.status;
    set_json(response, json::render(fail(ErrorCode::NotFound, "there is nothing at this address")), status);
  });
}

void Server::configure() {
  http_->new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
  http_->set_payload_max_length(kMostMessageBytes);
  http_->set_read_timeout(kReadSeconds);
  // A connection for each request: one that is kept keeps a thread, and what is left of a body that was refused would be
  // taken for the next request.
  http_->set_keep_alive_max_count(1);
  http_->set_tcp_nodelay(true);
}

Result<> Server::listen() {
  if (!http_->is_valid())
    return fail(ErrorCode::InvalidInput,
                "cannot use " + options_.certificate_file + " and " + options_.key_file + " for TLS");
  configure();
  add_routes();
  port_ = TRY(bind_alone(*http_, options_.address, options_.port));
  thread_ = serve(*http_);
  return {};
}

}  // namespace

Result<std::unique_ptr<WebServer>> WebServer::start(verbs::RunningController& controller, const WebOptions& options) {
  auto server = std::make_unique<Server>(controller, options);
  TRY(server->listen());
  return std::unique_ptr<WebServer>(std::move(server));
}

}  // namespace atys::present::web

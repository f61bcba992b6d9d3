// SPDX-License-Identifier: Apache-2.0
#include "present/web/web_server.h"

#include <atomic>

#include "net/packing.h"
#include "net/server.h"
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
constexpr size_t kMostMessageBytes = size_t{64} << 20;
constexpr size_t kMostTaskBytes = size_t{128} << 10;
constexpr net::Limits kLimits{
    .most_connections = 4096, .most_strangers = 512, .most_strangers_per_address = 128, .threads = 16, .most_waiting = 256};

using net::Decision;
using net::Request;
using net::RequestHead;
using net::Response;

void set_json(Response& response, const std::string& body, int status = 200) {
  response.status = status;
  response.type = kJsonType;
  response.body = body;
}

void set_error(Response& response, const Error& error) {
  if (error.code == ErrorCode::Unavailable) response.headers.emplace_back("Retry-After", "5");
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
  response.headers.emplace_back(
      "Content-Security-Policy",
      "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; "
      "frame-src blob:; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
  response.headers.emplace_back("X-Content-Type-Options", "nosniff");
  response.headers.emplace_back("Referrer-Policy", "no-referrer");
  response.type = "text/html; charset=utf-8";
  response.fixed_body = kPage;
}

// What a body that grows holds of the door, until its request ends.
class AdmittedBody {
 public:
  explicit AdmittedBody(verbs::Admission& door) : door_(door) {}
  Result<> grow(size_t bytes) {
    if (bytes > kMostMessageBytes) return too_large();
    return door_.extend(ticket_, bytes);
  }

 private:
  verbs::Admission& door_;
  verbs::Admission::Ticket ticket_;
};

class Server final : public WebServer {
 public:
  Server(verbs::RunningController& controller, WebOptions options) : controller_(controller), options_(std::move(options)) {}

  Result<> listen();
  int port() const override { return server_->port(); }

 private:
  // A request that was let in, with what its address names ("the-task" of /api/v1/tasks/the-task).
  using Handler = void (Server::*)(const Request&, const std::string& name, Response&);
  struct Route {
    const char* method;
    const char* path;  // one that ends with * stands for all with one more word
    Role needs;
    Handler handler;
  };
  static const std::vector<Route>& routes();

  Decision decide(const RequestHead& head);
  Decision decide_on(const RequestHead& head, const Route& route, const std::string& name);
  Decision decide_on_otlp(const RequestHead& head);
  std::optional<Response> refusal(const RequestHead& head, Role needs);
  verbs::Caller caller_of(const RequestHead& head) const;

  void services(const Request&, const std::string&, Response& response) { set_answer(response, controller_.services()); }
  void nodes(const Request&, const std::string&, Response& response) {
    set_json(response, json::render(controller_.nodes()));
  }
  void forget_node(const Request& request, const std::string& name, Response& response) {
    set_answer(response, controller_.forget_node(name, caller_of(request.head)));
  }
  void tasks(const Request&, const std::string&, Response& response) {
    set_json(response, json::render(controller_.tasks()));
  }
  void task(const Request&, const std::string& name, Response& response) { set_answer(response, controller_.task(name)); }
  void stop_task(const Request& request, const std::string& name, Response& response) {
    set_answer(response, controller_.stop_task(name, caller_of(request.head)));
  }
  void delete_task(const Request& request, const std::string& name, Response& response) {
    set_answer(response, controller_.delete_task(name, caller_of(request.head)));
  }
  void apply_task(const Request& request, const std::string& name, Response& response) {
    set_answer(response, controller_.apply_task(request.body, name, caller_of(request.head)));
  }
  void profile(const Request& request, const std::string&, Response& response);
  void top(const Request& request, const std::string&, Response& response);
  void series(const Request& request, const std::string&, Response& response);
  void metrics(const Request&, const std::string&, Response& response);
  void discovery(const Request&, const std::string&, Response& response) {
    set_json(response, metrics::discovery(controller_.nodes()));
  }
  Response otlp(Request& request, AdmittedBody& admitted);

  verbs::RunningController& controller_;
  const WebOptions options_;
  std::atomic<uint64_t> refused_tokens_ = 0;
  std::unique_ptr<net::Server> server_;  // ends before what its threads use
};

verbs::Caller Server::caller_of(const RequestHead& head) const {
  return {options_.guard.access.role_of(head.value("authorization")).value_or(Role::Read), head.peer.address};
}

Response refused(const HttpGuard::Refusal& refusal) {
  Response response;
  if (refusal.status == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"atys\"");
  set_json(response, json::render(fail(ErrorCode::PermissionDenied, refusal.why)), refusal.status);
  return response;
}

std::optional<Response> Server::refusal(const RequestHead& head, Role needs) {
  const std::string* authorization = head.find("authorization");
  const auto refusal = options_.guard.check(head.value("host"), head.find("origin"), authorization, needs);
  if (!refusal) return std::nullopt;
  if (refusal->status == 401) ++refused_tokens_;
  // Of strangers nothing is put down: they could fill the log until what matters is gone.
  const bool is_known = authorization != nullptr && options_.guard.access.role_of(*authorization).has_value();
  if (refusal->status == 403 && needs == Role::Admin && is_known)
    controller_.audit(caller_of(head), head.method, head.path, refusal->why);
  return refused(*refusal);
}

void Server::profile(const Request& request, const std::string&, Response& response) {
  const auto query = query_of(request.head.parameters, controller_.now_ns());
  if (!query.ok()) return set_error(response, query.error());
  const std::string format = parameter(request.head.parameters, "to_format");
  auto sent = controller_.profile(*query, format.empty() ? "pprof" : format);
  if (!sent.ok()) return set_error(response, sent.error());
  response.headers.emplace_back("X-Content-Type-Options", "nosniff");
  response.headers.emplace_back("Content-Security-Policy", "sandbox allow-scripts");  // a page of names from anywhere
  response.headers.emplace_back("X-Atys-Windows", std::to_string(sent->windows));
  response.headers.emplace_back("X-Atys-Exact", sent->is_exact ? "true" : "false");
  response.headers.emplace_back("X-Atys-Damaged", std::to_string(sent->problems));
  response.type = sent->media_type;
  response.body = std::move(sent->bytes);
}

void Server::top(const Request& request, const std::string&, Response& response) {
  const auto query = query_of(request.head.parameters, controller_.now_ns());
  if (!query.ok()) return set_error(response, query.error());
  const auto view = view_of(request.head.parameters);
  if (!view.ok()) return set_error(response, view.error());
  set_answer(response, controller_.top(*query, *view));
}

void Server::series(const Request& request, const std::string&, Response& response) {
  const auto query = query_of(request.head.parameters, controller_.now_ns());
  if (!query.ok()) return set_error(response, query.error());
  const auto step = step_of(request.head.parameters, *query);
  if (!step.ok()) return set_error(response, step.error());
  set_answer(response, controller_.series(*query, *step, parameter(request.head.parameters, "function")));
}

void Server::metrics(const Request&, const std::string&, Response& response) {
  const auto status = controller_.status();
  if (!status.ok()) return set_error(response, status.error());
  const uint64_t refused = controller_.refused_tokens() + refused_tokens_;
  response.type = metrics::kMetricMediaType;
  response.body = metrics::render(*status, controller_.nodes(), refused);
}

Response otlp_refusal(const Error& error, bool is_json) {
  Response response{
      .status = status_of(error), .type = is_json ? kJsonType : kProtobufType, .body = otlp_status(error, is_json)};
  if (error.code == ErrorCode::Unavailable) response.headers.emplace_back("Retry-After", "5");
  return response;
}

bool is_json_type(const RequestHead& head) { return head.value("content-type").starts_with(kJsonType); }

// What is wrong with a message, as far as its head tells.
std::optional<Error> check_otlp_head(const RequestHead& head) {
  const std::string type = head.value("content-type");
  if (!is_json_type(head) && !type.starts_with(kProtobufType) && !type.starts_with("application/protobuf"))
    return fail(ErrorCode::Unsupported, "Content-Type is neither application/x-protobuf nor application/json");
  if (head.content_length.value_or(0) > kMostMessageBytes) return too_large();
  return std::nullopt;
}

Decision Server::decide_on_otlp(const RequestHead& head) {
  if (auto no = refusal(head, Role::Capture)) return Decision::refuse(std::move(*no));
  const bool is_json = is_json_type(head);
  Decision decision{.is_known = options_.guard.access.asks_for_token()};
  if (const auto error = check_otlp_head(head)) {
    decision.answer = otlp_refusal(*error, is_json);
    return decision;
  }
  const auto admitted = std::make_shared<AdmittedBody>(controller_.door());  // shared: functions are copied
  decision.grow = [admitted, is_json](size_t bytes) -> std::optional<Response> {
    const Result<> fits = admitted->grow(bytes);
    return fits.ok() ? std::nullopt : std::optional(otlp_refusal(fits.error(), is_json));
  };
  decision.work = [this, admitted](Request& request) { return otlp(request, *admitted); };
  return decision;
}

// What is unpacked is held as well, and so admitted as what was sent is.
Result<> unpack(Request& request, AdmittedBody& admitted) {
  TRY(net::unpack(request, kMostMessageBytes));
  return admitted.grow(request.body.size());
}

Response Server::otlp(Request& request, AdmittedBody& admitted) {
  const bool is_json = is_json_type(request.head);
  if (const auto whole = unpack(request, admitted); !whole.ok()) return otlp_refusal(whole.error(), is_json);
  const auto from = options_.guard.access.identify(request.head.value("authorization"), request.head.peer.certificate_name);
  if (!from) return otlp_refusal(fail(ErrorCode::PermissionDenied, "the token was taken back"), is_json);
  const auto answer =
      controller_.receive(request.body, is_json ? verbs::OtlpEncoding::Json : verbs::OtlpEncoding::Protobuf, *from);
  if (!answer.ok()) return otlp_refusal(answer.error(), is_json);
  return {.type = is_json ? kJsonType : kProtobufType, .body = is_json ? encode_json(*answer) : encode(*answer)};
}

const std::vector<Server::Route>& Server::routes() {
  static const std::vector<Route> kRoutes = {
      {"GET", "/metrics", Role::Read, &Server::metrics},
      {"GET", "/sd", Role::Read, &Server::discovery},
      {"GET", "/api/v1/services", Role::Read, &Server::services},
      {"GET", "/api/v1/nodes", Role::Read, &Server::nodes},
      {"DELETE", "/api/v1/nodes/*", Role::Admin, &Server::forget_node},
      {"GET", "/api/v1/tasks", Role::Read, &Server::tasks},
      {"GET", "/api/v1/profile", Role::Read, &Server::profile},
      {"GET", "/api/v1/top", Role::Read, &Server::top},
      {"GET", "/api/v1/series", Role::Read, &Server::series},
      {"GET", "/api/v1/tasks/*", Role::Read, &Server::task},
      {"DELETE", "/api/v1/tasks/*", Role::Admin, &Server::delete_task},
      {"PUT", "/api/v1/tasks/*", Role::Admin, &Server::apply_task},
      {"POST", "/api/v1/tasks/*/stop", Role::Admin, &Server::stop_task},
  };
  return kRoutes;
}

// The word that stands where the pattern has its *; empty where there is none; nothing: it does not fit.
std::optional<std::string> match(std::string_view pattern, std::string_view path) {
  const size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == path ? std::optional<std::string>("") : std::nullopt;
  const std::string_view before = pattern.substr(0, star), after = pattern.substr(star + 1);
  if (path.size() <= before.size() + after.size() || !path.starts_with(before) || !path.ends_with(after))
    return std::nullopt;
  const std::string_view name = path.substr(before.size(), path.size() - before.size() - after.size());
  return name.find('/') == std::string_view::npos ? std::optional<std::string>(name) : std::nullopt;
}

Decision Server::decide_on(const RequestHead& head, const Route& route, const std::string& name) {
  if (auto no = refusal(head, route.needs)) return Decision::refuse(std::move(*no));
  Decision decision{.is_known = options_.guard.access.asks_for_token()};
  if (head.method == "PUT")
    decision.grow = [](size_t bytes) -> std::optional<Response> {
      if (bytes <= kMostTaskBytes) return std::nullopt;
      Response response;
      set_error(response, fail(ErrorCode::ResourceExhausted, "a task of more than 64 KiB"));
      return response;
    };
  decision.work = [this, handler = route.handler, name](Request& request) {
    Response response;
    if (const auto whole = net::unpack(request, kMostTaskBytes); !whole.ok())
      set_error(response, whole.error());
    else
      (this->*handler)(request, name, response);
    return response;
  };
  return decision;
}

Decision Server::decide(const RequestHead& head) {
  Response response;
  if (head.method == "GET" && head.path == "/healthz") {
    response.type = "text/plain";
    response.body = "ok\n";
    return Decision::refuse(std::move(response));
  }
  if (head.method == "GET" && head.path == "/") {
    if (const auto no = options_.guard.check_place(head.value("host"), head.find("origin")))
      return Decision::refuse(refused(*no));
    set_page(response);
    return Decision::refuse(std::move(response));
  }
  if (head.method == "POST" && head.path == "/v1development/profiles") return decide_on_otlp(head);
  for (const Route& route : routes())
    if (head.method == route.method)
      if (const auto name = match(route.path, head.path)) return decide_on(head, route, *name);
  set_json(response, json::render(fail(ErrorCode::NotFound, "there is nothing at this address")), 404);
  return Decision::refuse(std::move(response));
}

Result<> Server::listen() {
  const auto busy = [] {
    Response response;
    set_error(response, fail(ErrorCode::Unavailable, "too much is waiting here already", "ask again later"));
    return response;
  };
  server_ = TRY(net::Server::start({.address = options_.address,
                                    .port = options_.port,
                                    .tls = TRY(verbs::read_tls(options_.tls)),
                                    .limits = kLimits,
                                    .busy = busy},
                                   [this](const RequestHead& head) { return decide(head); }));
  return {};
}

}  // namespace

Result<std::unique_ptr<WebServer>> WebServer::start(verbs::RunningController& controller, const WebOptions& options) {
  auto server = std::make_unique<Server>(controller, options);
  TRY(server->listen());
  return std::unique_ptr<WebServer>(std::move(server));
}

}  // namespace atys::present::web

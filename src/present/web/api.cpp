// SPDX-License-Identifier: Apache-2.0
#include "present/web/api.h"

#include "present/metrics/controller_metrics.h"
#include "present/metrics/metric_text.h"
#include "present/web/json_response.h"
#include "present/web/parameters.h"
#include "present/web/path_pattern.h"

namespace atys::present::web {

const std::vector<Api::Route>& Api::routes() {
  static const std::vector<Route> kRoutes = {
      {"GET", "/metrics", Role::Read, &Api::metrics},
      {"GET", "/sd", Role::Read, &Api::discovery},
      {"GET", "/api/v1/services", Role::Read, &Api::services},
      {"GET", "/api/v1/profile", Role::Read, &Api::profile},
      {"GET", "/api/v1/top", Role::Read, &Api::top},
      {"GET", "/api/v1/series", Role::Read, &Api::series},
      {"GET", "/api/v1/nodes", Role::Read, &Api::nodes},
      {"DELETE", "/api/v1/nodes/*", Role::Admin, &Api::forget_node},
      {"GET", "/api/v1/tasks", Role::Read, &Api::tasks},
      {"GET", "/api/v1/tasks/*", Role::Read, &Api::task},
      {"PUT", "/api/v1/tasks/*", Role::Admin, &Api::apply_task},
      {"POST", "/api/v1/tasks/*/stop", Role::Admin, &Api::stop_task},
      {"DELETE", "/api/v1/tasks/*", Role::Admin, &Api::delete_task},
  };
  return kRoutes;
}

std::optional<Api::Found> Api::find(const net::RequestHead& head) {
  for (const Route& route : routes())
    if (head.method == route.method)
      if (auto name = match_path(route.path, head.path)) return Found{route, std::move(*name)};
  return std::nullopt;
}

void Api::metrics(const Request&, const std::string&, Response& response) const {
  const auto status = controller_.status();
  if (!status.ok()) return set_error(response, status.error());
  const uint64_t refused = controller_.refused_tokens() + gate_.refused_tokens();
  response.type = metrics::kMetricMediaType;
  response.body = metrics::render(*status, controller_.nodes(), refused);
}

void Api::discovery(const Request&, const std::string&, Response& response) const {
  set_json(response, metrics::discovery(controller_.nodes()));
}

void Api::services(const Request&, const std::string&, Response& response) const {
  set_answer(response, controller_.services());
}

void Api::profile(const Request& request, const std::string&, Response& response) const {
  const auto query = query_of(request.head.parameters, controller_.now_ns());
  if (!query.ok()) return set_error(response, query.error());
  const auto view = view_of(request.head.parameters);
  if (!view.ok()) return set_error(response, view.error());
  const std::string format = parameter(request.head.parameters, "to_format");
  auto sent = controller_.profile(*query, format.empty() ? "pprof" : format, view->filter);
  if (!sent.ok()) return set_error(response, sent.error());
  response.headers.emplace_back("X-Content-Type-Options", "nosniff");
  response.headers.emplace_back("Content-Security-Policy", "sandbox allow-scripts");  // a page of names from anywhere
  response.headers.emplace_back("X-Atys-Windows", std::to_string(sent->windows));
  response.headers.emplace_back("X-Atys-Exact", sent->is_exact ? "true" : "false");
  response.headers.emplace_back("X-Atys-Damaged", std::to_string(sent->problems));
  response.type = sent->media_type;
  response.body = std::move(sent->bytes);
}

void Api::top(const Request& request, const std::string&, Response& response) const {
  const auto query = query_of(request.head.parameters, controller_.now_ns());
  if (!query.ok()) return set_error(response, query.error());
  const auto view = view_of(request.head.parameters);
  if (!view.ok()) return set_error(response, view.error());
  set_answer(response, controller_.top(*query, *view));
}

void Api::series(const Request& request, const std::string&, Response& response) const {
  const auto query = query_of(request.head.parameters, controller_.now_ns());
  if (!query.ok()) return set_error(response, query.error());
  const auto step = step_of(request.head.parameters, *query);
  if (!step.ok()) return set_error(response, step.error());
  set_answer(response, controller_.series(*query, *step, parameter(request.head.parameters, "function")));
}

void Api::nodes(const Request&, const std::string&, Response& response) const {
  set_json(response, json::render(controller_.nodes()));
}

void Api::forget_node(const Request& request, const std::string& name, Response& response) const {
  set_answer(response, controller_.forget_node(name, gate_.caller_of(request.head)));
}

void Api::tasks(const Request&, const std::string&, Response& response) const {
  set_json(response, json::render(controller_.tasks()));
}

void Api::task(const Request&, const std::string& name, Response& response) const {
  set_answer(response, controller_.task(name));
}

void Api::apply_task(const Request& request, const std::string& name, Response& response) const {
  set_answer(response, controller_.apply_task(request.body, name, gate_.caller_of(request.head)));
}

void Api::stop_task(const Request& request, const std::string& name, Response& response) const {
  set_answer(response, controller_.stop_task(name, gate_.caller_of(request.head)));
}

void Api::delete_task(const Request& request, const std::string& name, Response& response) const {
  set_answer(response, controller_.delete_task(name, gate_.caller_of(request.head)));
}

}  // namespace atys::present::web

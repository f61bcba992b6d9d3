// SPDX-License-Identifier: Apache-2.0
#include "present/web/gate.h"

#include "present/web/json_response.h"

namespace atys::present::web {

namespace {

net::Response refused(const HttpGuard::Refusal& refusal) {
  net::Response response;
  if (refusal.status == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"atys\"");
  set_json(response, json::render(fail(ErrorCode::PermissionDenied, refusal.why)), refusal.status);
  return response;
}

}  // namespace

std::optional<net::Response> Gate::refusal(const net::RequestHead& head, Role needs) {
  const std::string* authorization = head.find("authorization");
  const auto refusal = guard_.check(head.value("host"), head.find("origin"), authorization, needs);
  if (!refusal) return std::nullopt;
  if (refusal->status == 401) ++refused_tokens_;
  // Of strangers nothing is put down: they could fill the log until what matters is gone.
  const bool is_known = authorization != nullptr && guard_.access.role_of(*authorization).has_value();
  if (refusal->status == 403 && needs == Role::Admin && is_known)
    controller_.audit(caller_of(head), head.method, head.path, refusal->why);
  return refused(*refusal);
}

std::optional<net::Response> Gate::refusal_of_place(const net::RequestHead& head) const {
  const auto refusal = guard_.check_place(head.value("host"), head.find("origin"));
  return refusal ? std::optional(refused(*refusal)) : std::nullopt;
}

verbs::Caller Gate::caller_of(const net::RequestHead& head) const {
  return {guard_.access.role_of(head.value("authorization")).value_or(Role::Read), head.peer.address};
}

}  // namespace atys::present::web

// SPDX-License-Identifier: Apache-2.0
#include "present/web/json_response.h"

#include "present/web/http_status.h"

namespace atys::present::web {

void set_json(net::Response& response, std::string body, int status) {
  response.status = status;
  response.type = kJsonType;
  response.body = std::move(body);
}

void set_error(net::Response& response, const Error& error) {
  if (error.code == ErrorCode::Unavailable) response.headers.emplace_back("Retry-After", "5");
  set_json(response, json::render(error), status_of(error));
}

}  // namespace atys::present::web

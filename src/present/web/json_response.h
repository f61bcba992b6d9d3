// SPDX-License-Identifier: Apache-2.0
// Answers of verbs as bodies of responses.
#pragma once

#include <string>

#include "base/result.h"
#include "net/message.h"
#include "present/json/answers.h"
#include "present/json/fleet.h"

namespace atys::present::web {

inline constexpr const char* kJsonType = "application/json";

void set_json(net::Response& response, std::string body, int status = 200);
// With the status that fits it.
void set_error(net::Response& response, const Error& error);

template <typename Answer>
void set_answer(net::Response& response, const Result<Answer>& answer) {
  if (!answer.ok()) return set_error(response, answer.error());
  set_json(response, json::render(*answer));
}

}  // namespace atys::present::web

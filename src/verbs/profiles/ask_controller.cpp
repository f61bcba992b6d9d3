// SPDX-License-Identifier: Apache-2.0
#include "verbs/profiles/ask_controller.h"

#include <atomic>
#include <cstdlib>

#include "fleet/wire/http_client.h"

namespace atys::verbs {

namespace {

std::atomic<int> patience_seconds = fleet::kUsualPatienceSeconds;

std::string setting(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? otherwise : value;
}

ErrorCode code_of(int status) {
  switch (status) {
    case 400:
    case 405: return ErrorCode::InvalidInput;
    case 401:
    case 403: return ErrorCode::PermissionDenied;
    case 404: return ErrorCode::NotFound;
    case 413: return ErrorCode::ResourceExhausted;
    case 429:
    case 503: return ErrorCode::Unavailable;
    default: return ErrorCode::Internal;
  }
}

Error error_of(const fleet::HttpAnswer& answer, const std::string& url) {
  Error error = fail(code_of(answer.status), url + " answered with status " + std::to_string(answer.status));
  if (answer.status == 401) {
    error.message = "the controller at " + url + " does not take the token";
    error.hint = "set ATYS_TOKEN to its token, or ATYS_TOKEN=$(cat FILE) with the file it was started with";
    return error;
  }
  const auto body = parse_json(answer.body);
  const Json* said = body.ok() && body->is_object() && body->contains("error") ? &(*body)["error"] : nullptr;
  if (said == nullptr || !said->is_object()) {
    error.hint = "is that the HTTP address of a controller?";
    return error;
  }
  error.message = text_field(*said, "message");
  error.hint = text_field(*said, "hint");
  return error;
}

}  // namespace

Result<std::string> ask_controller(const std::string& method, const std::string& path, const std::string& body,
                                   const std::string& content_type) {
  const fleet::HttpAddress address{.url = setting("ATYS_CONTROLLER", kDefaultController),
                                   .token = setting("ATYS_TOKEN", ""),
                                   .authority_file = setting("ATYS_CA", ""),
                                   .certificate_file = setting("ATYS_CERT", ""),
                                   .key_file = setting("ATYS_KEY", ""),
                                   .patience_seconds = patience_seconds};
  fleet::HttpAnswer answer = TRY(fleet::http_call(address, method, path, body, content_type));
  if (answer.status < 200 || answer.status > 299) return error_of(answer, address.url);
  return std::move(answer.body);
}

Result<Json> ask_controller_json(const std::string& method, const std::string& path, const std::string& body,
                                 const std::string& content_type) {
  Json json = TRY(parse_json(TRY(ask_controller(method, path, body, content_type))));
  if (!json.is_object())
    return fail(ErrorCode::InvalidInput, "the controller's answer makes no sense",
                "is that the HTTP address of a controller?");
  return json;
}

void set_controller_patience(int seconds) { patience_seconds = seconds > 0 ? seconds : fleet::kUsualPatienceSeconds; }

std::string text_field(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

int64_t int_field(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found != object.end() && found->is_number_integer() ? found->get<int64_t>() : 0;
}

double number_field(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found != object.end() && found->is_number() ? found->get<double>() : 0;
}

bool bool_field(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found != object.end() && found->is_boolean() && found->get<bool>();
}

const Json& list_field(const Json& object, const char* key) {
  static const Json empty = Json::array();
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found != object.end() && found->is_array() ? *found : empty;
}

}  // namespace atys::verbs

// SPDX-License-Identifier: Apache-2.0
#include "present/mcp/protocol/server.h"

#include <algorithm>
#include <array>

#include "present/mcp/protocol/era.h"
#include "present/mcp/protocol/http_rules.h"

namespace atys::present::mcp {

namespace {

// Lists do not change while we run; what is in the library does.
constexpr int kListTtlMs = 300'000;
constexpr std::array<std::string_view, 5> kWorkMethods = {"tools/call", "resources/list", "resources/read", "prompts/get",
                                                          "completion/complete"};
// Answers that may not be kept; others say for how long they may.
constexpr std::array<std::string_view, 3> kNotCacheable = {"tools/call", "prompts/get", "completion/complete"};

Outcome answered(Json answer, int http_status = 200) {
  return {.kind = Outcome::Kind::Answer, .answer = std::move(answer), .http_status = http_status};
}

// Of requests that are wrong in themselves; a request that is sound and cannot be done is answered with 200.
int http_status_of(int code) {
  switch (code) {
    case kMethodNotFound: return 404;
    case kParseError:
    case kInvalidRequest:
    case kHeaderMismatch:
    case kMissingCapability:
    case kUnsupportedVersion: return 400;
    default: return 200;
  }
}

bool is_work(std::string_view method) { return std::ranges::find(kWorkMethods, method) != kWorkMethods.end(); }

const Json* named(const Json& list, const Json& name) {
  for (const Json& entry : list)
    if (entry.value("name", Json()) == name) return &entry;
  return nullptr;
}

Work work_of(const Message& message, const std::string& version) {
  Work work{.id = message.id, .method = message.method, .params = message.params, .version = version};
  const Json meta = message.params.value("_meta", Json::object());
  const Json token = meta.value("progressToken", Json());
  if (token.is_string() || token.is_number_integer()) work.progress_token = token;
  work.capabilities = meta.value(kMetaCapabilities, Json::object());
  work.params.erase("_meta");
  return work;
}

std::optional<RpcError> missing_capability(const Work& work, const Catalog& catalog) {
  if (!is_modern(work.version) || work.method != "tools/call") return std::nullopt;
  Json missing = Json::object();
  const Json required = catalog.required_capabilities.value(work.params["name"].get<std::string>(), Json::object());
  for (const auto& [capability, detail] : required.items())
    if (!work.capabilities.contains(capability)) missing[capability] = detail;
  if (missing.empty()) return std::nullopt;
  return RpcError{kMissingCapability, "the client lacks a capability that this needs", {{"requiredCapabilities", missing}}};
}

std::optional<RpcError> check_completion(const Json& params, const Catalog& catalog) {
  const auto invalid = [](const char* why) { return RpcError{kInvalidParams, why, {}}; };
  const Json ref = params.value("ref", Json());
  const Json argument = params.value("argument", Json());
  if (!ref.is_object() || !argument.is_object()) return invalid("params.ref and params.argument must be objects");
  if (!argument.value("name", Json()).is_string() || !argument.value("value", Json()).is_string())
    return invalid("params.argument must have a name and a value, both text");
  const Json type = ref.value("type", Json());
  if (type == "ref/resource")
    return ref.value("uri", Json()).is_string() ? std::nullopt : std::optional(invalid("params.ref.uri must be text"));
  if (type != "ref/prompt") return invalid("params.ref.type must be ref/prompt or ref/resource");
  const Json name = ref.value("name", Json());
  return name.is_string() && named(catalog.prompts, name) ? std::nullopt : std::optional(invalid("unknown prompt"));
}

// Parameters that have to be there whoever performs.
std::optional<RpcError> check_work(const Work& work, const Catalog& catalog) {
  if (work.method == "resources/read" && !work.params.value("uri", Json()).is_string())
    return RpcError{kInvalidParams, "params.uri must be text", {}};
  if (work.method == "completion/complete") return check_completion(work.params, catalog);
  if (work.method != "tools/call" && work.method != "prompts/get") return std::nullopt;
  const Json& list = work.method == "tools/call" ? catalog.tools : catalog.prompts;
  const Json name = work.params.value("name", Json());
  if (!name.is_string() || named(list, name) == nullptr)
    return RpcError{
        kInvalidParams, "unknown " + std::string(work.method == "tools/call" ? "tool" : "prompt"), {{"name", name}}};
  if (!work.params.value("arguments", Json::object()).is_object())
    return RpcError{kInvalidParams, "params.arguments must be an object", {}};
  return missing_capability(work, catalog);
}

void strip_for_old_clients(Json& result) {
  result.erase("structuredContent");
  if (!result.contains("content")) return;
  Json kept = Json::array();
  for (Json& block : result["content"])
    if (block.value("type", "") != "resource_link") kept.push_back(std::move(block));
  result["content"] = std::move(kept);
}

}  // namespace

Outcome Server::refuse(const BadMessage& bad) const {
  return answered(make_error(bad.id, bad.error), std::max(400, http_status_of(bad.error.code)));
}

Outcome Server::handle(const Message& message, const Channel& channel) const {
  switch (message.kind) {
    case Message::Kind::Response: return {};  // we ask clients nothing
    case Message::Kind::Notification:
      if (message.method != "notifications/cancelled" || !message.params.contains("requestId")) return {};
      return {.kind = Outcome::Kind::Cancel, .cancelled_id = message.params["requestId"]};
    case Message::Kind::Request: break;
  }
  Outcome outcome = handle_request(message, channel);
  // In the legacy era the status of HTTP says nothing about what is in the body.
  const bool is_error = outcome.kind == Outcome::Kind::Answer && outcome.answer.contains("error");
  if (is_error && !speaks_modern(message, channel) && outcome.http_status == 404) outcome.http_status = 200;
  return outcome;
}

Outcome Server::handle_request(const Message& message, const Channel& channel) const {
  const auto refused = [&](const RpcError& error, int status) { return answered(make_error(message.id, error), status); };
  if (speaks_modern(message, channel)) {
    if (const auto error = check_modern(message, channel)) return refused(*error, 400);
    return answer(message, std::string(kModernVersion));
  }
  if (message.method == "initialize") return initialize(message);
  if (message.method == "ping") return answered(make_result(message.id, Json::object()));
  std::string version = channel.legacy_version;
  if (channel.http && version.empty()) version = channel.http->version.value_or(std::string(kVersionWithoutHeader));
  if (version.empty())
    return refused({kInvalidParams, "neither initialised nor with a version in params._meta: call initialize first", {}},
                   400);
  if (!is_legacy(version))
    return refused(
        {kUnsupportedVersion, "unsupported protocol version", {{"supported", modern_versions()}, {"requested", version}}},
        400);
  return answer(message, version);
}

Outcome Server::initialize(const Message& message) const {
  const Json asked = message.params.value("protocolVersion", Json());
  if (!asked.is_string())
    return answered(make_error(message.id, {kInvalidParams, "params.protocolVersion must be text", {}}));
  const std::string version(negotiate(asked.get<std::string>()));
  Json result = {{"protocolVersion", version},
                 {"capabilities", capabilities(version)},
                 {"serverInfo", server_info(version)},
                 {"instructions", catalog_.instructions}};
  Outcome outcome = answered(make_result(message.id, std::move(result)));
  outcome.agreed_version = version;
  return outcome;
}

Outcome Server::answer(const Message& message, const std::string& version) const {
  if (is_work(message.method)) {
    Work work = work_of(message, version);
    if (const auto error = check_work(work, catalog_))
      return answered(make_error(message.id, *error), http_status_of(error->code));
    return {.kind = Outcome::Kind::Work, .work = std::move(work)};
  }
  if (auto result = look_up(message.method, version))
    return answered(make_result(message.id, in_era(std::move(*result), message.method, version)));
  const RpcError unknown{kMethodNotFound, "no such method", {{"method", message.method}}};
  return answered(make_error(message.id, unknown), http_status_of(unknown.code));
}

std::optional<Json> Server::look_up(const std::string& method, const std::string& version) const {
  if (method == "tools/list") return Json{{"tools", tools_for(version)}};
  if (method == "prompts/list") return Json{{"prompts", catalog_.prompts}};
  if (method == "resources/templates/list") return Json{{"resourceTemplates", catalog_.resource_templates}};
  if (method == "server/discover" && is_modern(version))
    return Json{{"supportedVersions", modern_versions()},
                {"capabilities", capabilities(version)},
                {"instructions", catalog_.instructions}};
  return std::nullopt;
}

Json Server::tools_for(const std::string& version) const {
  Json tools = catalog_.tools;
  if (has_structured_content(version)) return tools;
  for (Json& tool : tools) {
    tool.erase("outputSchema");
    tool.erase("title");
  }
  return tools;
}

Json Server::capabilities(const std::string& version) const {
  Json all = {{"tools", Json::object()}, {"prompts", Json::object()}, {"resources", Json::object()}};
  if (has_completions(version)) all["completions"] = Json::object();
  return all;
}

Json Server::server_info(const std::string& version) const {
  Json info = {{"name", catalog_.name}, {"version", catalog_.version}};
  if (has_structured_content(version)) info["title"] = catalog_.title;
  return info;
}

Json Server::in_era(Json result, const std::string& method, const std::string& version) const {
  if (!is_modern(version)) {
    if (!has_structured_content(version)) strip_for_old_clients(result);
    return result;
  }
  if (!result.contains("resultType")) result["resultType"] = "complete";
  result["_meta"][kMetaServer] = server_info(version);
  const bool is_cacheable =
      std::ranges::find(kNotCacheable, method) == kNotCacheable.end() && result["resultType"] == "complete";
  if (is_cacheable) {
    result["ttlMs"] = is_work(method) ? 0 : kListTtlMs;
    result["cacheScope"] = "private";
  }
  return result;
}

Json Server::finish(const Work& work, Json done) const {
  if (done.contains("error")) return Json{{"jsonrpc", "2.0"}, {"id", work.id}, {"error", std::move(done["error"])}};
  return make_result(work.id, in_era(std::move(done["result"]), work.method, work.version));
}

Json Server::progress_of(const Work& work, const Progress& progress) const {
  Json params = {{"progressToken", work.progress_token}, {"progress", progress.done}};
  if (progress.total) params["total"] = *progress.total;
  if (!progress.message.empty() && work.version != "2024-11-05") params["message"] = progress.message;
  return make_notification("notifications/progress", std::move(params));
}

}  // namespace atys::present::mcp

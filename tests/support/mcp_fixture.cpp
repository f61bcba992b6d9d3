// SPDX-License-Identifier: Apache-2.0
// A server with the protocol and the HTTP transport of `atys mcp`, and with the tools, resources and prompts that the
// official conformance suite calls (tests/interop/mcp_conformance_peer.py). The product has none of them: what is tested is
// what is between.
#include <chrono>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "present/mcp/transport/http_transport.h"

using namespace atys;
using namespace atys::present::mcp;

namespace {

// A red pixel, and a sound of no length.
constexpr const char* kPng =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
constexpr const char* kWav = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

Json text(const std::string& said) { return {{"type", "text"}, {"text", said}}; }
Json image() { return {{"type", "image"}, {"data", kPng}, {"mimeType", "image/png"}}; }
Json resource(const std::string& uri, const std::string& type, const std::string& said) {
  return {{"type", "resource"}, {"resource", {{"uri", uri}, {"mimeType", type}, {"text", said}}}};
}
Json result_of(Json content, bool is_error = false) {
  return {{"result", {{"content", std::move(content)}, {"isError", is_error}}}};
}
Json error_of(const std::string& why, Json data) {
  return {{"error", {{"code", kInvalidParams}, {"message", why}, {"data", std::move(data)}}}};
}
Json message_of(Json content) { return {{"role", "user"}, {"content", std::move(content)}}; }

Json elicitation(const char* asks, const char* field, const char* type = "string") {
  const Json schema = {{"type", "object"}, {"properties", {{field, {{"type", type}}}}}, {"required", Json::array({field})}};
  return {{"method", "elicitation/create"}, {"params", {{"message", asks}, {"requestedSchema", schema}}}};
}
Json sampling(const char* asks) {
  return {{"method", "sampling/createMessage"},
          {"params", {{"messages", Json::array({{{"role", "user"}, {"content", text(asks)}}})}, {"maxTokens", 100}}}};
}
Json roots() { return {{"method", "roots/list"}, {"params", Json::object()}}; }

// What tools and prompts ask the client for before they answer, round by round.
const std::map<std::string, std::vector<Json>>& questions() {
  static const std::map<std::string, std::vector<Json>> kQuestions = {
      {"test_input_required_result_elicitation", {{{"user_name", elicitation("What is your name?", "name")}}}},
      {"test_input_required_result_sampling", {{{"capital_question", sampling("What is the capital of France?")}}}},
      {"test_input_required_result_list_roots", {{{"client_roots", roots()}}}},
      {"test_input_required_result_request_state", {{{"confirm", elicitation("Please confirm", "ok", "boolean")}}}},
      {"test_input_required_result_tampered_state", {{{"confirm", elicitation("Please confirm", "ok", "boolean")}}}},
      {"test_input_required_result_multiple_inputs",
       {{{"user_name", elicitation("What is your name?", "name")},
         {"greeting", sampling("Generate a greeting")},
         {"client_roots", roots()}}}},
      {"test_input_required_result_multi_round",
       {{{"step1", elicitation("Step 1: What is your name?", "name")}},
        {{"step2", elicitation("Step 2: What is your favorite color?", "color")}}}},
      {"test_input_required_result_capabilities",
       {{{"name", elicitation("Name?", "name")}, {"text", sampling("Say something")}}}},
      {"test_input_required_result_prompt",
       {{{"user_context", elicitation("What context should the prompt use?", "context")}}}}};
  return kQuestions;
}

// Questions that the client can answer.
Json answerable(const Json& asked, const Json& capabilities) {
  Json kept = Json::object();
  for (const auto& [key, question] : asked.items()) {
    const std::string method = question["method"];
    if (capabilities.contains(method.substr(0, method.find('/')))) kept[key] = question;
  }
  return kept;
}

// Nothing: all is answered. The state is the round; one that we have not given out is refused.
std::optional<Json> ask_client(const Work& work, const std::vector<Json>& rounds) {
  const std::string name = work.params["name"];
  const auto state_of = [&](size_t round) { return name + " round " + std::to_string(round); };
  size_t round = 0;
  if (work.params.contains("requestState"))
    while (round < rounds.size() && work.params["requestState"] != state_of(round)) ++round;
  if (round == rounds.size()) return error_of("not a state of ours", Json::object());
  if (work.params.contains("inputResponses")) {
    const Json& responses = work.params["inputResponses"];
    if (!responses.is_object()) return error_of("inputResponses must be an object", Json::object());
    bool is_complete = true;
    const Json asked = answerable(rounds[round], work.capabilities);
    for (const auto& [key, question] : asked.items()) {
      if (responses.contains(key) && !responses[key].is_object())
        return error_of(key + " must be an object", Json::object());
      is_complete = is_complete && responses.contains(key);
    }
    if (is_complete) ++round;
    if (round == rounds.size()) return std::nullopt;
  }
  return Json{{"result",
               {{"resultType", "input_required"},
                {"inputRequests", answerable(rounds[round], work.capabilities)},
                {"requestState", state_of(round)}}}};
}

class Fixture final : public Performer {
 public:
  Json perform(const Work& work, const WorkObserver& observer) override {
    if (work.method == "completion/complete")
      return {{"result", {{"completion", {{"values", {"paris", "park"}}, {"total", 2}, {"hasMore", false}}}}}};
    if (work.method != "resources/list" && work.method != "resources/read" && questions().contains(work.params["name"]))
      if (auto asked = ask_client(work, questions().at(work.params["name"]))) return *asked;
    if (work.method == "tools/call") return call(work.params["name"], observer);
    if (work.method == "resources/read") return read(work.params["uri"]);
    if (work.method == "prompts/get") return prompt(work.params["name"], work.params.value("arguments", Json::object()));
    Json list = Json::array();
    for (const char* uri : {"test://static-text", "test://static-binary"})
      list.push_back({{"uri", uri}, {"name", uri}, {"description", uri}});
    return {{"result", {{"resources", list}}}};
  }

 private:
  static Json call(const std::string& name, const WorkObserver& observer) {
    if (name == "test_image_content") return result_of(Json::array({image()}));
    if (name == "test_audio_content")
      return result_of(Json::array({{{"type", "audio"}, {"data", kWav}, {"mimeType", "audio/wav"}}}));
    if (name == "test_embedded_resource")
      return result_of(
          Json::array({resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")}));
    if (name == "test_multiple_content_types")
      return result_of(
          Json::array({text("Multiple content types test:"), image(),
                       resource("test://mixed-content-resource", "application/json", R"({"test":"data","value":123})")}));
    if (name == "test_error_handling")
      return result_of(Json::array({text("This tool intentionally returns an error for testing")}), true);
    if (name == "test_tool_with_progress")
      for (const double done : {0, 50, 100}) {
        observer.on_progress({done, 100, ""});
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
      }
    if (questions().contains(name)) return result_of(Json::array({text("state-ok")}));
    return result_of(Json::array({text("This is a simple text response for testing.")}));
  }

  static Json read(const std::string& uri) {
    Json content = {{"uri", uri}};
    if (uri == "test://static-text") {
      content["mimeType"] = "text/plain";
      content["text"] = "This is the content of the static text resource.";
    } else if (uri == "test://static-binary") {
      content["mimeType"] = "image/png";
      content["blob"] = kPng;
    } else if (uri.starts_with("test://template/") && uri.ends_with("/data")) {
      const std::string id = uri.substr(16, uri.size() - 21);
      content["mimeType"] = "application/json";
      content["text"] = Json{{"id", id}, {"templateTest", true}, {"data", "Data for ID: " + id}}.dump();
    } else {
      return error_of("no such resource", {{"uri", uri}});
    }
    return {{"result", {{"contents", Json::array({content})}}}};
  }

  static Json prompt(const std::string& name, const Json& arguments) {
    const auto said = [&](const char* key) { return arguments.value(key, std::string()); };
    Json messages = Json::array();
    if (questions().contains(name)) messages.push_back(message_of(text("as you said")));
    if (name == "test_simple_prompt") messages.push_back(message_of(text("This is a simple prompt for testing.")));
    if (name == "test_prompt_with_arguments")
      messages.push_back(
          message_of(text("Prompt with arguments: arg1='" + said("arg1") + "', arg2='" + said("arg2") + "'")));
    if (name == "test_prompt_with_embedded_resource") {
      messages.push_back(message_of(resource(said("resourceUri"), "text/plain", "Embedded resource content for testing.")));
      messages.push_back(message_of(text("Please process the embedded resource above.")));
    }
    if (name == "test_prompt_with_image") {
      messages.push_back(message_of(image()));
      messages.push_back(message_of(text("Please analyze the image above.")));
    }
    return {{"result", {{"messages", messages}}}};
  }
};

Catalog catalog() {
  Catalog all{.name = "fixture", .title = "Fixture", .version = "1", .instructions = "for tests"};
  for (const char* name : {"test_simple_text", "test_image_content", "test_audio_content", "test_embedded_resource",
                           "test_multiple_content_types", "test_error_handling", "test_tool_with_progress",
                           "test_missing_capability", "test_streaming_elicitation", "test_logging_tool"})
    all.tools.push_back(
        {{"name", name}, {"description", name}, {"inputSchema", {{"type", "object"}, {"additionalProperties", false}}}});
  for (const char* name :
       {"test_simple_prompt", "test_prompt_with_arguments", "test_prompt_with_embedded_resource", "test_prompt_with_image"})
    all.prompts.push_back({{"name", name}, {"description", name}});
  for (const auto& [name, rounds] : questions()) {
    const bool is_prompt = name.ends_with("_prompt");
    Json entry = {{"name", name}, {"description", name}};
    if (!is_prompt) entry["inputSchema"] = {{"type", "object"}};
    (is_prompt ? all.prompts : all.tools).push_back(std::move(entry));
  }
  all.resource_templates =
      Json::array({{{"uriTemplate", "test://template/{id}/data"}, {"name", "template"}, {"mimeType", "application/json"}}});
  all.required_capabilities = {{"test_missing_capability", {{"sampling", Json::object()}}}};
  return all;
}

}  // namespace

int main() {
  Fixture performer;
  const Server server(catalog());
  HttpOptions options;
  options.on_listening = [](int port) { std::fprintf(stderr, "fixture: listening on http://127.0.0.1:%d/mcp\n", port); };
  return serve_http(server, performer, options).ok() ? 0 : 1;
}

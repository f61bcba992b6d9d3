// SPDX-License-Identifier: Apache-2.0
#include "present/mcp/protocol/server.h"

#include <gtest/gtest.h>

#include "present/mcp/protocol/era.h"
#include "present/mcp/protocol/http_rules.h"

namespace atys::present::mcp {

namespace {

Server make_server() {
  Catalog catalog{.name = "test", .title = "Test", .version = "1", .instructions = "ask"};
  catalog.tools = Json::array({{{"name", "dig"}, {"title", "Dig"}, {"outputSchema", Json::object()}}, {{"name", "sample"}}});
  catalog.required_capabilities = {{"sample", {{"sampling", Json::object()}}}};
  return Server(catalog);
}

Json modern_meta() { return {{kMetaVersion, kModernVersion}, {kMetaCapabilities, Json::object()}}; }

Message request(const std::string& method, Json params = Json::object()) {
  return {.id = 7, .method = method, .params = std::move(params)};
}
Message modern(const std::string& method, Json params = Json::object()) {
  params["_meta"] = modern_meta();
  return request(method, std::move(params));
}
Channel http(std::string version, std::string method) {
  return {.http = HttpHeaders{std::move(version), std::move(method), std::nullopt}};
}
int code_of(const Outcome& outcome) { return outcome.answer["error"].value("code", 0); }

TEST(mcp_message, is_refused_unless_it_is_one_object_of_json_rpc) {
  for (const char* text :
       {"", "{", "[]", "7", "null", R"({"id":1,"method":"a"})", R"({"jsonrpc":"2.0","id":null,"method":"a"})",
        R"({"jsonrpc":"2.0","id":1.5,"method":"a"})", R"({"jsonrpc":"2.0","id":1,"method":5})",
        R"({"jsonrpc":"2.0","id":1,"method":"a","params":[]})", R"({"jsonrpc":"2.0","id":1})",
        R"({"jsonrpc":"2.0","id":1,"method":"a","params":{"_meta":3}})", "{\"jsonrpc\":\"2.0\",\"method\":\"\xff\"}"})
    EXPECT_TRUE(std::holds_alternative<BadMessage>(parse_message(text))) << text;
}

TEST(mcp_message, that_is_too_deep_or_too_long_is_refused) {
  std::string deep = R"({"jsonrpc":"2.0","id":1,"method":"a","params":)";
  for (size_t i = 0; i < kMostMessageDepth; ++i) deep += R"({"a":)";
  EXPECT_TRUE(std::holds_alternative<BadMessage>(parse_message(deep)));
  const std::string filler(kMostMessageBytes, 'x');
  const std::string wide = R"({"jsonrpc":"2.0","id":1,"method":")" + filler + "\"}";
  EXPECT_TRUE(std::holds_alternative<BadMessage>(parse_message(wide)));
}

TEST(mcp_message, is_a_request_a_notification_or_a_response) {
  const auto kind = [](const char* text) { return std::get<Message>(parse_message(text)).kind; };
  EXPECT_EQ(kind(R"({"jsonrpc":"2.0","id":"x","method":"a"})"), Message::Kind::Request);
  EXPECT_EQ(kind(R"({"jsonrpc":"2.0","method":"a"})"), Message::Kind::Notification);
  EXPECT_EQ(kind(R"({"jsonrpc":"2.0","id":1,"result":{}})"), Message::Kind::Response);
}

TEST(mcp_completion, names_a_prompt_or_a_template_and_what_was_typed) {
  Catalog catalog{.name = "test", .title = "Test", .version = "1", .instructions = "ask"};
  catalog.prompts = Json::array({{{"name", "dig"}}});
  const Server server(catalog);
  const Json argument = {{"name", "where"}, {"value", "gar"}};
  const auto asked = [&](Json ref, Json of) {
    return server.handle(modern("completion/complete", {{"ref", std::move(ref)}, {"argument", std::move(of)}}), {});
  };
  EXPECT_EQ(asked({{"type", "ref/prompt"}, {"name", "dig"}}, argument).kind, Outcome::Kind::Work);
  EXPECT_EQ(asked({{"type", "ref/resource"}, {"uri", "x://{id}"}}, argument).kind, Outcome::Kind::Work);
  for (const Json& ref : {Json(), Json("dig"), Json{{"type", "ref/prompt"}, {"name", "fill"}}, Json{{"type", "ref/prompt"}},
                          Json{{"type", "ref/resource"}}, Json{{"type", "ref/tool"}, {"name", "dig"}}})
    EXPECT_EQ(code_of(asked(ref, argument)), kInvalidParams) << ref;
  for (const Json& of : {Json(), Json{{"name", "where"}}, Json{{"name", 1}, {"value", "x"}}})
    EXPECT_EQ(code_of(asked({{"type", "ref/prompt"}, {"name", "dig"}}, of)), kInvalidParams) << of;
}

TEST(mcp_completion, is_a_capability_since_it_is_one) {
  const Server server = make_server();
  for (const auto& [version, has] : {std::pair{"2024-11-05", false}, {"2025-03-26", true}, {"2025-11-25", true}}) {
    const Outcome outcome = server.handle(request("initialize", {{"protocolVersion", version}}), {});
    EXPECT_EQ(outcome.answer["result"]["capabilities"].contains("completions"), has) << version;
  }
  const Outcome outcome = server.handle(modern("server/discover"), {});
  EXPECT_TRUE(outcome.answer["result"]["capabilities"].contains("completions"));
}

TEST(mcp_legacy, initialize_agrees_on_the_version_asked_for_or_the_newest_of_its_era) {
  const Server server = make_server();
  for (const auto& [asked, agreed] : std::vector<std::pair<const char*, const char*>>{
           {"2024-11-05", "2024-11-05"}, {"2025-11-25", "2025-11-25"}, {"2026-07-28", "2025-11-25"}, {"x", "2025-11-25"}}) {
    const Outcome outcome = server.handle(request("initialize", {{"protocolVersion", asked}}), {});
    EXPECT_EQ(outcome.answer["result"]["protocolVersion"], agreed);
    EXPECT_EQ(outcome.agreed_version, agreed);
    EXPECT_FALSE(outcome.answer["result"].contains("resultType"));
  }
}

TEST(mcp_legacy, nothing_but_ping_is_answered_before_initialize_on_stdio) {
  const Server server = make_server();
  EXPECT_EQ(code_of(server.handle(request("tools/list"), {})), kInvalidParams);
  EXPECT_TRUE(server.handle(request("ping"), {}).answer.contains("result"));
  EXPECT_TRUE(server.handle(request("tools/list"), {.legacy_version = "2025-11-25"}).answer.contains("result"));
}

TEST(mcp_legacy, old_versions_are_not_shown_what_they_do_not_know) {
  const Server server = make_server();
  const auto tool = [&](const char* version) {
    return server.handle(request("tools/list"), {.legacy_version = version}).answer["result"]["tools"][0];
  };
  EXPECT_FALSE(tool("2024-11-05").contains("outputSchema"));
  EXPECT_TRUE(tool("2025-06-18").contains("outputSchema"));
  Json done = {
      {"result",
       {{"structuredContent", {{"a", 1}}}, {"content", Json::array({{{"type", "text"}}, {{"type", "resource_link"}}})}}}};
  const Json old = server.finish({.id = 1, .method = "tools/call", .version = "2025-03-26"}, done)["result"];
  EXPECT_FALSE(old.contains("structuredContent"));
  EXPECT_EQ(old["content"].size(), 1U);
}

TEST(mcp_modern, every_result_says_its_type_and_who_answers) {
  const Server server = make_server();
  const Json found = server.handle(modern("server/discover"), {}).answer["result"];
  EXPECT_EQ(found["resultType"], "complete");
  EXPECT_EQ(found["supportedVersions"], Json::array({kModernVersion}));
  EXPECT_EQ(found["_meta"][kMetaServer]["name"], "test");
  EXPECT_TRUE(found["ttlMs"].is_number_integer());
  EXPECT_EQ(found["cacheScope"], "private");
}

TEST(mcp_modern, a_request_without_what_it_must_say_of_itself_is_refused) {
  const Server server = make_server();
  Json no_version = {{"_meta", {{kMetaCapabilities, Json::object()}}}};
  Json no_capabilities = {{"_meta", {{kMetaVersion, kModernVersion}}}};
  EXPECT_EQ(code_of(server.handle(request("server/discover"), {})), kInvalidParams);
  EXPECT_EQ(code_of(server.handle(request("server/discover", no_version), {})), kInvalidParams);
  EXPECT_EQ(code_of(server.handle(request("tools/list", no_capabilities), {})), kInvalidParams);
  const Outcome over_http = server.handle(request("tools/list"), http("2026-07-28", "tools/list"));
  EXPECT_EQ(code_of(over_http), kInvalidParams);
  EXPECT_EQ(over_http.http_status, 400);
}

TEST(mcp_modern, another_version_is_answered_with_those_that_there_are) {
  const Server server = make_server();
  Json params = {{"_meta", {{kMetaVersion, "2099-01-01"}, {kMetaCapabilities, Json::object()}}}};
  const Outcome outcome = server.handle(request("tools/list", params), {});
  EXPECT_EQ(code_of(outcome), kUnsupportedVersion);
  EXPECT_EQ(outcome.answer["error"]["data"]["requested"], "2099-01-01");
  EXPECT_EQ(outcome.answer["error"]["data"]["supported"], Json::array({kModernVersion}));
}

TEST(mcp_modern, headers_and_body_have_to_say_the_same) {
  const Server server = make_server();
  EXPECT_EQ(server.handle(modern("tools/list"), http("2026-07-28", "tools/list")).http_status, 200);
  EXPECT_EQ(server.handle(modern("tools/list"), http("2026-07-28", " tools/list ")).http_status, 200);
  EXPECT_EQ(code_of(server.handle(modern("tools/list"), http("2026-07-28", "TOOLS/LIST"))), kHeaderMismatch);
  EXPECT_EQ(code_of(server.handle(modern("tools/list"), http("2025-11-25", "tools/list"))), kHeaderMismatch);
  EXPECT_EQ(code_of(server.handle(modern("tools/list"), {.http = HttpHeaders{}})), kHeaderMismatch);
  const Message call = modern("tools/call", {{"name", "dig"}});
  EXPECT_EQ(code_of(server.handle(call, http("2026-07-28", "tools/call"))), kHeaderMismatch);
  const Channel named{.http = HttpHeaders{"2026-07-28", "tools/call", "=?base64?ZGln?="}};
  EXPECT_EQ(server.handle(call, named).kind, Outcome::Kind::Work);
}

TEST(mcp_modern, what_was_removed_is_not_there_and_http_says_404) {
  const Server server = make_server();
  for (const char* method : {"initialize", "ping", "logging/setLevel", "resources/subscribe", "no/such"}) {
    const Outcome outcome = server.handle(modern(method), http("2026-07-28", method));
    EXPECT_EQ(code_of(outcome), kMethodNotFound) << method;
    EXPECT_EQ(outcome.http_status, 404);
    EXPECT_EQ(outcome.answer["id"], 7);
  }
}

TEST(mcp_modern, a_capability_that_the_client_lacks_is_named) {
  const Outcome outcome = make_server().handle(modern("tools/call", {{"name", "sample"}}), {});
  EXPECT_EQ(code_of(outcome), kMissingCapability);
  EXPECT_EQ(outcome.http_status, 400);
  EXPECT_TRUE(outcome.answer["error"]["data"]["requiredCapabilities"].contains("sampling"));
}

TEST(mcp_call, becomes_work_with_its_token_and_without_its_meta) {
  const Server server = make_server();
  Message message = modern("tools/call", {{"name", "dig"}, {"arguments", {{"deep", 3}}}});
  message.params["_meta"]["progressToken"] = "t";
  const Outcome outcome = server.handle(message, {});
  ASSERT_EQ(outcome.kind, Outcome::Kind::Work);
  EXPECT_EQ(outcome.work.progress_token, "t");
  EXPECT_EQ(outcome.work.params, (Json{{"name", "dig"}, {"arguments", {{"deep", 3}}}}));
  const Json told = server.progress_of(outcome.work, {2, 5, "half"});
  EXPECT_EQ(told["params"], (Json{{"progressToken", "t"}, {"progress", 2.0}, {"total", 5.0}, {"message", "half"}}));
}

TEST(mcp_call, of_a_tool_that_is_not_there_is_an_error) {
  const Server server = make_server();
  EXPECT_EQ(code_of(server.handle(modern("tools/call", {{"name", "fly"}}), {})), kInvalidParams);
  EXPECT_EQ(code_of(server.handle(modern("tools/call", {{"name", 3}}), {})), kInvalidParams);
  EXPECT_EQ(code_of(server.handle(modern("tools/call", {{"name", "dig"}, {"arguments", 3}}), {})), kInvalidParams);
  EXPECT_EQ(code_of(server.handle(modern("resources/read"), {})), kInvalidParams);
}

TEST(mcp_notification, only_a_cancellation_asks_for_something) {
  const Server server = make_server();
  Message cancel{.kind = Message::Kind::Notification, .method = "notifications/cancelled", .params = {{"requestId", 3}}};
  EXPECT_EQ(server.handle(cancel, {}).kind, Outcome::Kind::Cancel);
  EXPECT_EQ(server.handle(cancel, {}).cancelled_id, 3);
  cancel.method = "notifications/initialized";
  EXPECT_EQ(server.handle(cancel, {}).kind, Outcome::Kind::Nothing);
}

TEST(mcp_header_value, is_decoded_where_it_is_wrapped) {
  EXPECT_EQ(decode_header_value("plain"), "plain");
  EXPECT_EQ(decode_header_value("SGVsbG8="), "SGVsbG8=");
  EXPECT_EQ(decode_header_value("=?base64?SGVsbG8=?="), "Hello");
  EXPECT_EQ(decode_header_value("=?base64?"
                                "?="),
            "");
  EXPECT_EQ(decode_header_value("=?base64?SGVsbG8?="), std::nullopt);
  EXPECT_EQ(decode_header_value("=?base64?SG!sbG8=?="), std::nullopt);
  EXPECT_EQ(decode_header_value("=?base64?SG==bG8=?="), std::nullopt);
}

}  // namespace

}  // namespace atys::present::mcp

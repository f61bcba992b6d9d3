// SPDX-License-Identifier: Apache-2.0
// Server, client and link against each other, over loopback.
#include <gtest/gtest.h>

#include <latch>
#include <thread>

#include "base/gzip.h"
#include "fleet/wire/export_response.h"
#include "fleet/wire/grpc_client.h"
#include "fleet/wire/grpc_link.h"
#include "fleet/wire/grpc_server.h"

namespace atys::fleet {

namespace {

struct Served {
  Admission door{size_t{1} << 20};
  std::unique_ptr<GrpcServer> server;

  explicit Served(CallHandlers handlers, GrpcServerOptions options = {}) {
    auto started = GrpcServer::start(options, std::move(handlers), door);
    CHECK(started.ok());
    server = started.take();
  }

  GrpcClientOptions options() const {
    return {.address = "127.0.0.1:" + std::to_string(server->port()), .timeout_ns = 60'000'000'000};
  }
  std::unique_ptr<GrpcClient> client(const std::string& token = {}) const {
    GrpcClientOptions chosen = options();
    chosen.token = token;
    return GrpcClient::create(chosen).take();
  }
};

Result<std::string> echo(const std::string& request) { return "got " + request; }

}  // namespace

TEST(grpc, carries_bytes_by_the_name_of_a_method) {
  const Served served({{"/a.B/C", echo}});
  const auto client = served.client();
  EXPECT_EQ(*client->call("/a.B/C", "some"), "got some");
  EXPECT_EQ(*client->call("/a.B/C", ""), "got ");
  const std::string large(100'000, 'x');  // compressed on its way
  EXPECT_EQ(*client->call("/a.B/C", large), "got " + large);
}

TEST(grpc, a_method_that_is_not_there_is_said_to_be_missing) {
  const Served served({{"/a.B/C", echo}});
  const auto answer = served.client()->call("/a.B/D", "");
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, ErrorCode::Unsupported);
}

TEST(grpc, a_call_without_the_token_never_reaches_its_handler) {
  int calls = 0;
  const Served served({{"/a.B/C",
                        [&](const std::string&) -> Result<std::string> {
                          ++calls;
                          return std::string();
                        }}},
                      {.access = Access("secret")});
  EXPECT_TRUE(served.client("secret")->call("/a.B/C", "").ok());
  for (const char* token : {"", "secre", "secret2", "Secret"}) {
    const auto answer = served.client(token)->call("/a.B/C", "");
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(answer.error().code, ErrorCode::PermissionDenied) << token;
  }
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(served.server->refused_tokens(), 4u);
}

TEST(grpc, a_token_for_readers_is_not_one_for_agents) {
  Access access("operator");
  access.let_in("agent", Role::Capture);
  access.let_in("person", Role::Read);
  const Served served({{"/a.B/C", [](const std::string&) -> Result<std::string> { return std::string(); }}},
                      {.access = access});
  EXPECT_TRUE(served.client("operator")->call("/a.B/C", "").ok());
  EXPECT_TRUE(served.client("agent")->call("/a.B/C", "").ok());
  const auto answer = served.client("person")->call("/a.B/C", "");
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, ErrorCode::PermissionDenied);
  EXPECT_NE(answer.error().message.find("not one for agents"), std::string::npos) << answer.error().message;
}

TEST(grpc, errors_of_a_handler_keep_their_kind) {
  for (const ErrorCode code :
       {ErrorCode::InvalidInput, ErrorCode::NotFound, ErrorCode::PermissionDenied, ErrorCode::Unsupported,
        ErrorCode::Unavailable, ErrorCode::ResourceExhausted, ErrorCode::Internal}) {
    const Served served(
        {{"/a.B/C", [&](const std::string&) -> Result<std::string> { return fail(code, "because of this"); }}});
    const auto answer = served.client()->call("/a.B/C", "");
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(answer.error().code, code);
    EXPECT_NE(answer.error().message.find("because of this"), std::string::npos);
  }
}

TEST(grpc, a_message_above_the_limit_is_refused_for_good) {
  const Served served({{"/a.B/C", echo}}, {.most_message_bytes = 100'000});
  std::string noise;  // that does not compress
  for (uint32_t i = 0, state = 1; i < 200'000; ++i) noise += static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  const auto answer = served.client()->call("/a.B/C", noise);
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, ErrorCode::ResourceExhausted);
  EXPECT_TRUE(served.client()->call("/a.B/C", "small").ok());
}

TEST(grpc, a_message_that_inflates_above_the_limit_is_refused_for_good) {
  const Served served({{"/a.B/C", echo}}, {.most_message_bytes = 100'000});
  const auto answer = served.client()->call("/a.B/C", std::string(10'000'000, 'x'));
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, ErrorCode::ResourceExhausted);
}

TEST(grpc, a_server_that_is_not_there_may_be_there_later) {
  const auto client = GrpcClient::create({.address = "127.0.0.1:1"}).take();
  const auto answer = client->call("/a.B/C", "");
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, ErrorCode::Unavailable);
  EXPECT_NE(answer.error().message.find("127.0.0.1:1"), std::string::npos);
}

TEST(grpc, a_handler_that_takes_too_long_is_unavailable) {
  std::latch over(1);
  const Served served({{"/a.B/C", [&](const std::string& request) -> Result<std::string> {
                          over.wait();
                          return request;
                        }}});
  GrpcClientOptions options = served.options();
  options.timeout_ns = 50'000'000;
  const auto answer = GrpcClient::create(options).take()->call("/a.B/C", "");
  over.count_down();
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, ErrorCode::Unavailable);
}

TEST(grpc, what_does_not_fit_beside_what_is_waiting_is_turned_away_for_now) {
  std::latch entered(1), over(1);
  Served served({{"/a.B/C", [&](const std::string& request) -> Result<std::string> {
                    entered.count_down();
                    over.wait();
                    return request;
                  }}});
  const auto client = served.client();
  auto filling = served.door.admit(served.door.most_bytes() - 10);
  ASSERT_TRUE(filling.ok());
  const auto refused = client->call("/a.B/C", std::string(200, 'x'));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::Unavailable);
  filling = fail(ErrorCode::Internal, "given back");
  std::jthread caller([&] { EXPECT_TRUE(client->call("/a.B/C", std::string(200, 'x')).ok()); });
  entered.wait();
  EXPECT_GT(served.door.inside_bytes(), 0u);
  over.count_down();
  caller.join();
}

TEST(grpc, a_port_is_not_shared) {
  const Served first({});
  Admission door(1);
  const auto second = GrpcServer::start({.address = "127.0.0.1:" + std::to_string(first.server->port())}, {}, door);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, ErrorCode::Unavailable);
}

TEST(grpc_link, reports_bring_orders_and_windows_are_taken_or_not) {
  AgentReport seen;
  std::string rejected;
  const Served served({{std::string(kReportMethod),
                        [&](const std::string& bytes) -> Result<std::string> {
                          seen = TRY(decode_report(bytes));
                          return encode(Orders{.tasks = {"task: a"}, .rate_factor = 0.5});
                        }},
                       {std::string(kExportMethod), [&](const std::string& bytes) -> Result<std::string> {
                          return bytes == "bad" ? encode(ExportResponse{1, "no sense in it"}) : std::string();
                        }}});
  const auto link = open_grpc_link(served.options()).take();
  const AgentReport report{.node = "web-1", .sender = std::string(16, '\1')};
  EXPECT_EQ(link->report(report)->tasks, std::vector<std::string>{"task: a"});
  EXPECT_EQ(seen, report);
  EXPECT_TRUE(link->send("good").ok());
  const auto refused = link->send("bad");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::InvalidInput);
  EXPECT_NE(refused.error().message.find("no sense in it"), std::string::npos);
}

TEST(grpc_link, a_receiver_that_knows_nothing_of_orders_gives_none) {
  const Served served({{std::string(kExportMethod), [](const std::string&) { return encode(ExportResponse{}); }}});
  const auto link = open_grpc_link(served.options()).take();
  const Result<Orders> orders = link->report({.node = "n"});
  ASSERT_TRUE(orders.ok());
  EXPECT_TRUE(orders->tasks.empty());
  EXPECT_TRUE(link->send("window").ok());
}

TEST(grpc_link, a_controller_that_stops_giving_orders_is_in_trouble) {
  bool is_well = true;
  const Served served({{std::string(kReportMethod), [&](const std::string&) -> Result<std::string> {
                          if (!is_well) return fail(ErrorCode::Unsupported, "not now");
                          return encode(Orders{.tasks = {"task: a"}});
                        }}});
  const auto link = open_grpc_link(served.options()).take();
  EXPECT_TRUE(link->report({.node = "n"}).ok());
  is_well = false;
  EXPECT_FALSE(link->report({.node = "n"}).ok());
}

TEST(export_response, what_is_written_is_read) {
  EXPECT_EQ(encode(ExportResponse{}), "");
  EXPECT_EQ(encode_json(ExportResponse{}), "{}");
  const ExportResponse partial{3, "why"};
  EXPECT_EQ(*decode_export_response(encode(partial)), partial);
  EXPECT_EQ(encode_json(partial), R"({"partialSuccess":{"rejectedProfiles":"3","errorMessage":"why"}})");
}

}  // namespace atys::fleet

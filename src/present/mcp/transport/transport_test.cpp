// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

#include "base/token.h"
#include "base/unique_fd.h"
#include "present/http_guard.h"
#include "present/mcp/transport/line_reader.h"
#include "present/mcp/transport/stdio_transport.h"

namespace atys::present::mcp {

namespace {

struct TestPipe {
  TestPipe() {
    int fds[2];
    EXPECT_EQ(::pipe2(fds, O_CLOEXEC), 0);
    read.reset(fds[0]);
    write.reset(fds[1]);
  }
  void put(const std::string& text) {
    EXPECT_EQ(::write(write.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  UniqueFd read, write;
};

TEST(line_reader, gives_lines_and_skips_those_that_are_too_long) {
  TestPipe pipe;
  pipe.put("one\n" + std::string(5000, 'x') + "\ntwo\n\nlast");
  pipe.write.reset();
  LineReader lines(pipe.read.get(), 100);
  EXPECT_EQ(lines.next()->text, "one");
  EXPECT_EQ(lines.next()->text.size(), 5000U) << "what came in one piece is left to who reads it";
  EXPECT_EQ(lines.next()->text, "two");
  EXPECT_EQ(lines.next()->text, "");
  EXPECT_EQ(lines.next()->text, "last");
  EXPECT_FALSE(lines.next().has_value());
}

TEST(line_reader, holds_no_more_of_an_endless_line_than_it_may) {
  TestPipe pipe;
  std::thread writer([&] {
    for (int i = 0; i < 100; ++i) pipe.put(std::string(10'000, 'x'));
    pipe.put("\nnext\n");
    pipe.write.reset();
  });
  LineReader lines(pipe.read.get(), 1000);
  const auto first = lines.next();
  EXPECT_TRUE(first->is_too_long);
  EXPECT_TRUE(first->text.empty());
  EXPECT_EQ(lines.next()->text, "next");
  writer.join();
}

// Answers each call with its name; "wait" waits until it is cancelled.
class FakePerformer final : public Performer {
 public:
  Json perform(const Work& work, const WorkObserver& observer) override {
    observer.on_progress({1, 2, "half"});
    if (work.params["name"] == "wait")
      while (!observer.is_cancelled()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return {{"result", {{"name", work.params["name"]}}}};
  }
};

class StdioTest : public ::testing::Test {
 protected:
  StdioTest()
      : server_(Catalog{.tools = Json::array({{{"name", "wait"}}, {{"name", "go"}}})}), answers_(out_.read.get(), 1 << 20) {
    thread_ = std::thread([this] {
      EXPECT_TRUE(serve_stdio(server_, performer_, in_.read.get(), out_.write.get()).ok());
      out_.write.reset();
    });
  }
  ~StdioTest() override {
    in_.write.reset();
    thread_.join();
  }
  void ask(int id, const char* tool) {
    const Json meta = {{"io.modelcontextprotocol/protocolVersion", "2026-07-28"},
                       {"io.modelcontextprotocol/clientCapabilities", Json::object()},
                       {"progressToken", id}};
    send({{"jsonrpc", "2.0"}, {"id", id}, {"method", "tools/call"}, {"params", {{"name", tool}, {"_meta", meta}}}});
  }
  void send(const Json& message) { in_.put(message.dump() + "\n"); }
  Json next() {
    const auto line = answers_.next();
    return line ? Json::parse(line->text) : Json();
  }
  // The next that is no progress.
  Json answer() {
    Json message = next();
    while (message.contains("method")) message = next();
    return message;
  }

  TestPipe in_, out_;
  Server server_;
  FakePerformer performer_;
  LineReader answers_;
  std::thread thread_;
};

TEST_F(StdioTest, a_call_that_lasts_does_not_keep_others_waiting) {
  ask(1, "wait");
  ask(2, "go");
  const Json second = answer();
  EXPECT_EQ(second["id"], 2);
  EXPECT_EQ(second["result"]["resultType"], "complete");
}

TEST_F(StdioTest, progress_comes_before_the_answer) {
  ask(5, "go");
  const Json progress = next();
  EXPECT_EQ(progress["method"], "notifications/progress");
  EXPECT_EQ(progress["params"]["progressToken"], 5);
  EXPECT_EQ(next()["id"], 5);
}

TEST_F(StdioTest, nothing_is_said_of_a_call_after_it_was_cancelled) {
  ask(1, "wait");
  EXPECT_EQ(next()["params"]["progressToken"], 1);
  send({{"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", {{"requestId", 1}}}});
  in_.write.reset();
  EXPECT_TRUE(next().is_null()) << "the end";
}

TEST_F(StdioTest, an_id_in_use_is_refused) {
  ask(1, "wait");
  EXPECT_EQ(next()["params"]["progressToken"], 1);
  ask(1, "go");
  EXPECT_EQ(answer()["error"]["code"], kInvalidRequest);
}

TEST_F(StdioTest, rubbish_is_answered_and_what_follows_works) {
  in_.put("{\"jsonrpc\":\n\xff\xfe\n\n[]\n");
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(next().contains("error"));
  ask(3, "go");
  EXPECT_EQ(answer()["id"], 3);
}

TEST(http_guard, takes_only_what_names_this_machine) {
  const HttpGuard guard{.access = {}, .hosts = {"box.example"}};
  const auto status = [&](const std::string& host, const char* origin) {
    const std::string text = origin != nullptr ? origin : "";
    const auto refusal = guard.check(host, origin != nullptr ? &text : nullptr, nullptr);
    return refusal ? refusal->status : 200;
  };
  for (const char* host : {"localhost", "localhost:80", "127.0.0.1:7777", "[::1]:9", "box.example:1"})
    EXPECT_EQ(status(host, nullptr), 200) << host;
  for (const char* host : {"", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80", "[::1", "127.0.0.2"})
    EXPECT_EQ(status(host, nullptr), 403) << host;
  EXPECT_EQ(status("localhost", "http://localhost:3000"), 200);
  EXPECT_EQ(status("localhost", "http://evil.example"), 403);
  EXPECT_EQ(status("localhost", "null"), 403);
}

TEST(http_guard, wants_the_token) {
  const HttpGuard guard{.access = Access("0123456789abcdef"), .hosts = {}};
  const auto status = [&](const char* said) {
    const std::string text = said != nullptr ? said : "";
    const auto refusal = guard.check("localhost", nullptr, said != nullptr ? &text : nullptr);
    return refusal ? refusal->status : 200;
  };
  EXPECT_EQ(status("Bearer 0123456789abcdef"), 200);
  for (const char* said : {static_cast<const char*>(nullptr), "", "Bearer ", "Bearer 0123456789abcdeg", "0123456789abcdef",
                           "Basic 0123456789abcdef"})
    EXPECT_EQ(status(said), 401);
}

TEST(http_guard, tokens_differ) {
  std::set<std::string> tokens;
  for (int i = 0; i < 10; ++i) tokens.insert(*random_token());
  EXPECT_EQ(tokens.size(), 10U);
  EXPECT_EQ(tokens.begin()->size(), 32U);
}

}  // namespace

}  // namespace atys::present::mcp

// SPDX-License-Identifier: Apache-2.0
#include "capture/node/inspector_client.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <thread>

#include "capture/node/http_head.h"

namespace atys::capture::node {
namespace {

// Answers the first connection with bytes that were made up before, then closes it.
class RudeServer {
 public:
  explicit RudeServer(std::string answer) : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    if (::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), length) != 0 || ::listen(listener_.get(), 1) != 0)
      return;
    ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &length);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this, text = std::move(answer)] {
      const UniqueFd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      char request[4096];
      (void)!::recv(fd.get(), request, sizeof request, 0);
      (void)!::send(fd.get(), text.data(), text.size(), MSG_NOSIGNAL);
    });
  }
  ~RudeServer() {
    ::shutdown(listener_.get(), SHUT_RDWR);
    if (thread_.joinable()) thread_.join();
  }
  InspectorAddress address() const { return {::getpid(), port_, false}; }

 private:
  UniqueFd listener_;
  uint16_t port_ = 0;
  std::thread thread_;
};

TEST(inspector_client, finds_the_session_in_the_list) {
  const auto path = parse_session_path(
      R"([{"type": "page", "webSocketDebuggerUrl": "ws://127.0.0.1:9229/other"},
          {"type": "node", "webSocketDebuggerUrl": "ws://127.0.0.1:9229/3af50543-ab2f"}])");
  ASSERT_TRUE(path.ok());
  EXPECT_EQ(*path, "/3af50543-ab2f");
}

TEST(inspector_client, says_so_where_the_list_has_no_session) {
  for (const char* list : {"[]", "{}", "7", R"([{"type": "node"}])", R"([{"type": "node", "webSocketDebuggerUrl": 5}])",
                           R"([{"type": "node", "webSocketDebuggerUrl": "ws://nothing"}])",
                           R"([{"type": "node", "webSocketDebuggerUrl": "ws://h/a\r\nHost: x"}])", "[[", ""})
    EXPECT_FALSE(parse_session_path(list).ok()) << list;
}

TEST(inspector_client, is_not_impressed_by_what_does_not_speak_http) {
  for (const std::string& answer :
       {std::string(), std::string("SSH-2.0-OpenSSH_9.2\r\n\r\n"), std::string(100'000, 'x'),
        std::string("HTTP/1.1 200 OK\r\n\r\n"), std::string("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n"),
        std::string("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort"), std::string("HTTP/1.1 404 Not Found\r\n\r\n")}) {
    const RudeServer server(answer);
    EXPECT_FALSE(read_session_path(server.address(), Deadline::in_ms(10'000)).ok()) << answer.substr(0, 80);
  }
}

TEST(inspector_client, ends_where_the_handshake_is_refused) {
  const RudeServer server("HTTP/1.1 400 WebSockets request was expected\r\n\r\n");
  EXPECT_FALSE(InspectorClient::connect(server.address(), "/x", Deadline::in_ms(10'000)).ok());
}

TEST(inspector_client, does_not_wait_for_ever) {
  // Accepts by its backlog, and says nothing.
  const UniqueFd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), length), 0);
  ASSERT_EQ(::listen(listener.get(), 1), 0);
  ::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &length);
  const auto path = read_session_path({::getpid(), ntohs(address.sin_port), false}, Deadline::in_ms(50));
  ASSERT_FALSE(path.ok());
  EXPECT_EQ(path.error().code, ErrorCode::Unavailable);
}

TEST(inspector_client, takes_members_of_any_type_without_harm) {
  const Json json = Json::parse(R"({"text": 5, "number": "x", "float": 12.75, "huge": 1e300, "big": 18446744073709551615})");
  EXPECT_EQ(text_member(json, "text"), "");
  EXPECT_EQ(number_member(json, "number"), 0);
  EXPECT_EQ(number_member(json, "float"), 12);
  EXPECT_EQ(number_member(json, "huge"), 0);
  EXPECT_EQ(number_member(json, "big"), INT64_MAX);
  EXPECT_EQ(number_member(Json(7), "number"), 0);
  EXPECT_TRUE(member(Json::array(), "x").is_null());
}

TEST(http_head, reads_fields_whatever_their_case) {
  const auto head = parse_http_head("HTTP/1.0 200 OK\r\nContent-LENGTH: 12 \r\nX:y\r\n");
  ASSERT_TRUE(head.ok());
  EXPECT_EQ(head->status, 200);
  EXPECT_EQ(head->value_of("content-length"), "12");
  EXPECT_EQ(body_bytes(*head, 12).value(), 12u);
  EXPECT_FALSE(body_bytes(*head, 11).ok());
  EXPECT_FALSE(parse_http_head("HTTP/1.1 abc\r\n").ok());
}

}  // namespace
}  // namespace atys::capture::node

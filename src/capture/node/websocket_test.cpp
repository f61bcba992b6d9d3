// SPDX-License-Identifier: Apache-2.0
#include "capture/node/websocket.h"

#include <gtest/gtest.h>

namespace atys::capture::node {
namespace {

std::string server_frame(int first, std::string_view payload) {
  std::string frame(1, static_cast<char>(first));
  if (payload.size() < 126) {
    frame.push_back(static_cast<char>(payload.size()));
  } else {
    frame.push_back(126);
    frame.push_back(static_cast<char>(payload.size() >> 8));
    frame.push_back(static_cast<char>(payload.size() & 0xff));
  }
  return frame.append(payload);
}

TEST(websocket, masks_what_it_sends) {
  // The example of RFC 6455, 5.7.
  EXPECT_EQ(encode_frame(Opcode::Text, "Hello", {0x37, 0xfa, 0x21, 0x3d}), "\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58");
}

TEST(websocket, says_lengths_in_one_two_and_eight_bytes) {
  const MaskingKey none{};
  EXPECT_EQ(encode_frame(Opcode::Text, std::string(125, 'x'), none).substr(0, 2), "\x81\xfd");
  EXPECT_EQ(encode_frame(Opcode::Text, std::string(126, 'x'), none).substr(0, 4), std::string("\x81\xfe\0\x7e", 4));
  EXPECT_EQ(encode_frame(Opcode::Text, std::string(65536, 'x'), none).substr(0, 10),
            std::string("\x81\xff\0\0\0\0\0\x01\0\0", 10));
}

TEST(websocket, joins_fragments_with_a_ping_among_them_however_the_bytes_come) {
  const std::string bytes = server_frame(0x01, "Hel") + server_frame(0x89, "are you there") + server_frame(0x80, "lo") +
                            server_frame(0x81, std::string(300, 'y'));
  WebSocketReader reader;
  for (const char byte : bytes) ASSERT_TRUE(reader.feed({&byte, 1}).ok());
  const auto ping = reader.next();
  ASSERT_TRUE(ping);
  EXPECT_EQ(ping->opcode, Opcode::Ping);
  EXPECT_EQ(ping->payload, "are you there");
  EXPECT_EQ(reader.next()->payload, "Hello");
  EXPECT_EQ(reader.next()->payload, std::string(300, 'y'));
  EXPECT_FALSE(reader.next());
}

TEST(websocket, refuses_what_the_standard_forbids) {
  struct Case {
    const char* what;
    std::string bytes;
  };
  const Case cases[] = {
      {"a masked frame", std::string("\x81\x81zzzzx", 7)},
      {"a reserved bit", server_frame(0xc1, "x")},
      {"an unknown opcode", server_frame(0x83, "x")},
      {"an unknown control opcode", server_frame(0x8b, "x")},
      {"a fragment of nothing", server_frame(0x80, "x")},
      {"a message within a message", server_frame(0x01, "x") + server_frame(0x81, "x")},
      {"a ping in fragments", server_frame(0x09, "x")},
      {"a long ping", server_frame(0x89, std::string(126, 'x'))},
  };
  for (const Case& one : cases) EXPECT_FALSE(WebSocketReader().feed(one.bytes).ok()) << one.what;
}

TEST(websocket, refuses_a_message_that_is_too_large_before_it_comes) {
  EXPECT_FALSE(WebSocketReader().feed(std::string("\x81\x7f\xff\xff\xff\xff\xff\xff\xff\xff", 10)).ok());
  WebSocketReader reader(10);
  EXPECT_TRUE(reader.feed(server_frame(0x01, "123456")).ok());
  EXPECT_FALSE(reader.feed(server_frame(0x80, "12345")).ok());
}

TEST(websocket, does_not_hoard_messages_that_nobody_takes) {
  WebSocketReader reader;
  Result<> last;
  for (int i = 0; i < 20'000 && last.ok(); ++i) last = reader.feed(server_frame(0x8a, ""));
  EXPECT_FALSE(last.ok());
}

TEST(websocket, takes_only_the_answer_to_its_own_key) {
  // The example of RFC 6455, 1.3: the key "dGhlIHNhbXBsZSBub25jZQ==" is "the sample nonce".
  const std::string head =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
      "sec-websocket-ACCEPT:  s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n";
  EXPECT_TRUE(check_upgrade(head, "the sample nonce").ok());
  EXPECT_FALSE(check_upgrade(head, "another 16 bytes").ok());
  EXPECT_FALSE(check_upgrade("HTTP/1.1 400 Bad Request\r\n", "the sample nonce").ok());
  EXPECT_FALSE(check_upgrade("SSH-2.0-OpenSSH\r\n", "the sample nonce").ok());
  EXPECT_NE(upgrade_request("127.0.0.1:9229", "/abc", "the sample nonce").find("dGhlIHNhbXBsZSBub25jZQ=="),
            std::string::npos);
}

}  // namespace
}  // namespace atys::capture::node

// SPDX-License-Identifier: Apache-2.0
// A server and plain sockets, over loopback.
#include "net/server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <latch>
#include <thread>

#include "base/unique_fd.h"

namespace atys::net {

namespace {

// "/echo" gives the body back, "/known" is for who has the token, "/wait" waits for the latch, "/stream" goes on.
struct Served {
  std::latch over{1};
  std::atomic<int> waiting = 0;
  std::atomic<bool> was_closed = false;
  std::unique_ptr<Server> server;

  explicit Served(Limits limits = {}) {
    server = Server::start({.limits = limits}, [this](const RequestHead& head) { return decide(head); }).take();
  }
  ~Served() {
    if (!over.try_wait()) over.count_down();
  }

  Decision decide(const RequestHead& head) {
    if (head.path == "/echo")
      return {.grow = [](size_t bytes) { return bytes > 1000 ? std::optional(Response{.status = 413}) : std::nullopt; },
              .work = [](Request& request) { return Response{.type = "text/plain", .body = "got " + request.body}; }};
    if (head.path == "/known") {
      if (head.value("authorization") != "me") return Decision::refuse({.status = 401});
      return {.is_known = true, .work = [](Request&) { return Response{.body = "in"}; }};
    }
    if (head.path == "/wait")
      return {.work = [this](Request&) {
        ++waiting;
        over.wait();
        return Response{.body = "waited"};
      }};
    if (head.path == "/stream")
      return {.work = [this](Request&) { return Response{.stream = [this](Stream& out) { stream(out); }}; }};
    return Decision::refuse({.status = 404});
  }
  void stream(Stream& out) {
    const std::string much(10'000, 'x');
    for (int i = 0; i < 3; ++i) out.write("piece " + std::to_string(i));
    while (out.write(much)) {
    }
    was_closed = !out.is_open();
  }
};

struct Client {
  UniqueFd socket{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};

  explicit Client(const Served& served) {
    sockaddr_in to{.sin_family = AF_INET,
                   .sin_port = htons(static_cast<uint16_t>(served.server->port())),
                   .sin_addr = {},
                   .sin_zero = {}};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket.get(), reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
  }
  bool put(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t sent = ::send(socket.get(), text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      text.remove_prefix(static_cast<size_t>(sent));
    }
    return true;
  }
  // Until that is there, or the end.
  std::string get(std::string_view until = "\xff") const {
    std::string text;
    char buffer[4096];
    while (text.find(until) == std::string::npos) {
      const ssize_t count = ::recv(socket.get(), buffer, sizeof buffer, 0);
      if (count <= 0) break;
      text.append(buffer, static_cast<size_t>(count));
    }
    return text;
  }
  int status() const {
    const std::string text = get("\r\n\r\n");
    return text.size() > 12 ? std::atoi(text.c_str() + 9) : 0;
  }
};

}  // namespace

TEST(server, answers_one_request_after_the_other) {
  const Served served;
  const Client client(served);
  for (const char* body : {"one", "two"}) {
    client.put("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\n" + std::string(body));
    EXPECT_NE(client.get(body).find("got " + std::string(body)), std::string::npos);
  }
  client.put("POST /echo HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n");
  EXPECT_NE(client.get("got abc").find("got abc"), std::string::npos);
  client.put("GET /nowhere HTTP/1.1\r\n\r\nGET /echo HTTP/1.1\r\nConnection: close\r\n\r\n");
  const std::string both = client.get();
  EXPECT_NE(both.find("404"), std::string::npos);
  EXPECT_NE(both.find("got "), std::string::npos);
}

TEST(server, answers_a_stranger_before_its_body_and_reads_no_more_of_it) {
  const Served served;
  for (const char* path : {"/known", "/nowhere"}) {
    const Client client(served);
    client.put("POST " + std::string(path) + " HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n");
    EXPECT_EQ(client.status(), std::string(path) == "/known" ? 401 : 404);
    bool is_open = true;
    const std::string chunk = "10000\r\n" + std::string(65536, 'x') + "\r\n";
    for (int i = 0; i < 10'000 && is_open; ++i) is_open = client.put(chunk);
    EXPECT_FALSE(is_open);
  }
}

TEST(server, what_is_too_long_is_refused_and_not_kept) {
  const Served served;
  const Client line(served), headers(served), body(served);
  line.put("GET /" + std::string(9000, 'a'));
  EXPECT_EQ(line.status(), 414);
  headers.put("GET / HTTP/1.1\r\n" + std::string(17'000, 'a'));
  EXPECT_EQ(headers.status(), 431);
  body.put("POST /echo HTTP/1.1\r\nContent-Length: 2000\r\n\r\n" + std::string(2000, 'a'));
  EXPECT_EQ(body.status(), 413);
}

TEST(server, a_request_that_takes_too_long_is_given_up) {
  const Served served({.head_ns = 1, .body_ns = 1});
  const Client head(served), body(served), silent(served);
  head.put("GET / HT");
  body.put("POST /echo HTTP/1.1\r\nContent-Length: 20\r\n\r\na");
  EXPECT_EQ(head.status(), 408);
  EXPECT_EQ(body.status(), 408);
  EXPECT_EQ(silent.get(), "");
}

TEST(server, the_oldest_stranger_makes_room_and_who_is_known_stays) {
  const Served served({.most_strangers_per_address = 4});
  const Client known(served);
  known.put("GET /known HTTP/1.1\r\nAuthorization: me\r\n\r\n");
  EXPECT_EQ(known.status(), 200);
  std::vector<std::unique_ptr<Client>> strangers;
  for (int i = 0; i < 20; ++i) strangers.push_back(std::make_unique<Client>(served));
  EXPECT_EQ(strangers.front()->get(), "");
  strangers.back()->put("GET /nowhere HTTP/1.1\r\n\r\n");
  EXPECT_EQ(strangers.back()->status(), 404);
  EXPECT_LE(served.server->connections(), 5u);
  known.put("GET /known HTTP/1.1\r\nAuthorization: me\r\n\r\n");
  EXPECT_EQ(known.status(), 200);
}

TEST(server, says_so_when_too_much_is_waiting) {
  Served served({.threads = 1, .most_waiting = 1});
  const Client first(served), second(served), third(served);
  first.put("GET /wait HTTP/1.1\r\n\r\n");
  while (served.waiting == 0) std::this_thread::yield();
  second.put("GET /wait HTTP/1.1\r\n\r\n");
  third.put("GET /nowhere HTTP/1.1\r\n\r\n");
  EXPECT_EQ(third.status(), 404) << "what needs no thread is answered all the same";
  third.put("GET /wait HTTP/1.1\r\n\r\n");
  EXPECT_EQ(third.status(), 503);
  served.over.count_down();
  EXPECT_EQ(first.status(), 200);
  EXPECT_EQ(second.status(), 200);
}

TEST(server, a_stream_ends_with_who_reads_it) {
  Served served;
  {
    const Client client(served);
    client.put("GET /stream HTTP/1.1\r\n\r\n");
    EXPECT_NE(client.get("piece 2").find("piece 2"), std::string::npos);
  }
  while (!served.was_closed) std::this_thread::yield();
}

TEST(server, ends_while_somebody_waits) {
  for (int i = 0; i < 20; ++i) {
    const Served served;
    const Client client(served);
    client.put("GET /stream HTTP/1.1\r\n\r\n");
    if (i % 2 == 0) client.get("piece 0");
  }
}

}  // namespace atys::net

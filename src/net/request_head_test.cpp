// SPDX-License-Identifier: Apache-2.0
#include "net/request_head.h"

#include <gtest/gtest.h>

#include "net/chunked_body.h"
#include "net/worker_pool.h"

namespace atys::net {

namespace {

int status_of(const std::string& text, RequestHead* head = nullptr) {
  RequestHead mine;
  const auto error = parse_head(text, {}, head == nullptr ? mine : *head);
  return error ? error->status : 200;
}

std::string body_of(std::string_view chunks, ChunkedBody::State wanted, size_t at_once) {
  ChunkedBody body;
  std::string result;
  ChunkedBody::State state = ChunkedBody::State::More;
  while (!chunks.empty() && state == ChunkedBody::State::More) {
    std::string_view piece = chunks.substr(0, at_once);
    chunks.remove_prefix(piece.size());
    state = body.feed(piece, [&](std::string_view data) {
      result += data;
      return true;
    });
  }
  EXPECT_EQ(state, wanted);
  return result;
}

}  // namespace

TEST(request_head, is_taken_apart) {
  RequestHead head;
  ASSERT_EQ(
      status_of("PUT /a%20b/c?x=1%2B1&y=a+b&z HTTP/1.1\r\nHost: h\r\nX-Two:  words here \r\nContent-Length: 12\r\n\r\n",
                &head),
      200);
  EXPECT_EQ(head.method, "PUT");
  EXPECT_EQ(head.path, "/a b/c");
  EXPECT_EQ(head.parameters.find("x")->second, "1+1");
  EXPECT_EQ(head.parameters.find("y")->second, "a b");
  EXPECT_EQ(head.parameters.find("z")->second, "");
  EXPECT_EQ(head.value("x-two"), "words here");
  EXPECT_EQ(head.content_length, 12u);
  EXPECT_TRUE(head.keeps_connection);
}

TEST(request_head, what_two_readers_could_understand_differently_is_refused) {
  struct Case {
    const char* name;
    std::string text;
    int status;
  };
  const Case cases[] = {
      {"two lengths", "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n", 400},
      {"a length and chunks", "POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
      {"a length with a sign", "POST / HTTP/1.1\r\nContent-Length: +1\r\n\r\n", 400},
      {"another encoding", "POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501},
      {"a space before the colon", "GET / HTTP/1.1\r\nHost : h\r\n\r\n", 400},
      {"a line that goes on", "GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n", 400},
      {"two hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400},
      {"a bare end of line", "GET / HTTP/1.1\r\nA: b\nC: d\r\n\r\n", 400},
      {"another version", "GET / HTTP/2.0\r\n\r\n", 505},
      {"no version", "GET /\r\n\r\n", 400},
      {"an address elsewhere", "GET http://elsewhere/ HTTP/1.1\r\n\r\n", 400},
      {"nothing", "\r\n\r\n", 400},
  };
  for (const Case& one : cases) EXPECT_EQ(status_of(one.text), one.status) << one.name;
}

TEST(request_head, has_bounds) {
  const Limits limits;
  EXPECT_EQ(check_head_size("GET /" + std::string(limits.most_line_bytes, 'a'), limits)->status, 414);
  EXPECT_FALSE(check_head_size("GET /" + std::string(limits.most_line_bytes / 2, 'a'), limits));
  std::string many = "GET / HTTP/1.1\r\n";
  for (size_t i = 0; i <= limits.most_headers; ++i) many += "a: b\r\n";
  EXPECT_EQ(status_of(many + "\r\n"), 431);
  const std::string large = "GET / HTTP/1.1\r\na: " + std::string(limits.most_head_bytes, 'b');
  EXPECT_EQ(check_head_size(large, limits)->status, 431);
}

TEST(request_head, its_end_is_found_however_it_comes) {
  const std::string text = "GET / HTTP/1.1\r\nA: b\r\n\r\nrest";
  for (size_t size = 1; size <= text.size(); ++size) {
    const auto end = find_head_end(std::string_view(text).substr(0, size), size - 1);
    EXPECT_EQ(end.has_value(), size == text.size() - 4) << size;
    if (end) break;
  }
}

TEST(chunked_body, is_put_together_however_it_comes) {
  const std::string chunks = "3\r\nabc\r\n0A;x=y\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n";
  for (size_t at_once = 1; at_once <= chunks.size(); ++at_once)
    EXPECT_EQ(body_of(chunks, ChunkedBody::State::Whole, at_once), "abc0123456789") << at_once;
}

TEST(chunked_body, what_is_none_is_refused) {
  for (const std::string& bad : {std::string("x\r\n"), std::string("3\nabc"), std::string("3\r\nabcd\r\n"),
                                 std::string("-1\r\n"), std::string("fffffffffffffffff\r\n"), std::string(1000, '0')})
    for (const size_t at_once : {size_t{1}, bad.size()}) body_of(bad, ChunkedBody::State::Bad, at_once);
}

TEST(worker_pool, its_queue_has_an_end) {
  WorkerPool pool(1, 2);
  std::mutex held;
  std::unique_lock lock(held);
  std::atomic<int> begun = 0, done = 0;
  const auto job = [&] {
    ++begun;
    const std::lock_guard wait(held);
    ++done;
  };
  ASSERT_TRUE(pool.post(job));
  while (begun == 0) std::this_thread::yield();
  EXPECT_TRUE(pool.post(job));
  EXPECT_TRUE(pool.post(job));
  EXPECT_FALSE(pool.post(job));
  lock.unlock();
  while (done < 3) std::this_thread::yield();
}

}  // namespace atys::net

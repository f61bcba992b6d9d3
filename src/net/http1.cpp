// SPDX-License-Identifier: Apache-2.0
#include "net/http1.h"

#include <algorithm>

#include "net/http1_stream.h"
#include "net/http1_text.h"
#include "net/request_head.h"

namespace atys::net {

namespace {

constexpr size_t kForgottenBytes = 64 << 10;  // of a body that nobody asked for

class Http1 final : public Protocol {
 public:
  Http1(Channel& channel, bool keeps_connections)
      : channel_(channel),
        keeps_connections_(keeps_connections),
        deadline_ns_(channel.now_ns() + channel.limits().head_ns) {}
  ~Http1() override {
    if (stream_ != nullptr) stream_->close();
  }

  void on_bytes(std::string_view bytes) override {
    held_.append(bytes);
    advance();
  }
  void on_drained() override;
  void on_peer_end() override {
    if (stream_ != nullptr) stream_->close();
  }
  bool wants_bytes() const override { return state_ == State::Head || state_ == State::Body; }
  uint64_t deadline_ns() const override { return deadline_ns_; }
  void on_deadline(uint64_t now_ns) override;

  void on_streamed(const std::string& bytes, bool is_last);

 private:
  enum class State { Head, Body, Working, Writing, Streaming, Ended };

  void advance();
  bool read_head();
  bool read_body();
  bool grow(std::string_view piece);
  void decide();
  void begin_work();
  void refuse(Response response);
  void refuse(int status, const char* why) { refuse(plain_response(status, why)); }
  void respond(Response response);
  void begin_stream(const Response& response);
  void next_request();
  bool keeps() const { return keeps_connections_ && request_.head.keeps_connection && !is_refused_; }

  Channel& channel_;
  const bool keeps_connections_;
  State state_ = State::Head;
  uint64_t deadline_ns_;
  std::string held_;  // received, not looked at
  size_t searched_ = 0;
  size_t requests_ = 0;
  Request request_;
  Decision decision_;
  ChunkedBody chunks_;
  size_t received_ = 0;
  bool is_head_request_ = false;
  bool is_refused_ = false;
  std::shared_ptr<Http1Stream> stream_;  // shared with the thread that fills it
};

void Http1::advance() {
  while ((state_ == State::Head && read_head()) || (state_ == State::Body && read_body())) {
  }
}

bool Http1::read_head() {
  const Limits& limits = channel_.limits();
  // Empty lines before a request are allowed for, and mean nothing.
  while (searched_ == 0 && held_.starts_with("\r\n")) held_.erase(0, 2);
  if (held_.empty()) return false;
  if (searched_ == 0 && requests_ > 0) deadline_ns_ = channel_.now_ns() + limits.head_ns;
  const auto end = find_head_end(held_, searched_);
  if (!end) {
    searched_ = held_.size();
    if (const auto error = check_head_size(held_, limits)) refuse(error->status, error->why);
    return false;
  }
  request_ = {};
  const auto error = parse_head(std::string_view(held_).substr(0, *end), limits, request_.head);
  held_.erase(0, *end);
  searched_ = 0;
  ++requests_;
  if (error) {
    refuse(error->status, error->why);
    return false;
  }
  decide();
  return state_ == State::Body;
}

void Http1::decide() {
  RequestHead& head = request_.head;
  head.peer = channel_.peer();
  is_head_request_ = head.method == "HEAD";
  if (is_head_request_) head.method = "GET";
  decision_ = channel_.decide(head);
  if (decision_.is_known) channel_.let_in();
  const bool has_body = head.is_chunked || head.content_length.value_or(0) > 0;
  if (decision_.answer) {
    if (has_body) return refuse(std::move(*decision_.answer));
    return respond(std::move(*decision_.answer));
  }
  if (!has_body) return begin_work();
  state_ = State::Body;
  received_ = 0;
  chunks_ = {};
  deadline_ns_ = channel_.now_ns() + channel_.limits().body_ns;
  const std::string* expected = head.find("expect");
  if (expected != nullptr && held_.empty()) channel_.send("HTTP/1.1 100 Continue\r\n\r\n");
}

bool Http1::grow(std::string_view piece) {
  received_ += piece.size();
  if (!decision_.grow) {
    if (received_ > kForgottenBytes) refuse(413, "the body is too long");
    return received_ <= kForgottenBytes;
  }
  if (auto refusal = decision_.grow(received_)) {
    refuse(std::move(*refusal));
    return false;
  }
  request_.body.append(piece);
  return true;
}

// Whether there may be more to do.
bool Http1::read_body() {
  std::string_view bytes = held_;
  bool is_whole = false;
  if (request_.head.is_chunked) {
    const auto state = chunks_.feed(bytes, [this](std::string_view piece) { return grow(piece); });
    if (state == ChunkedBody::State::Bad && !is_refused_) refuse(400, "the chunks of the body are none");
    is_whole = state == ChunkedBody::State::Whole;
  } else {
    const size_t left = *request_.head.content_length - received_;
    const std::string_view piece = bytes.substr(0, left);
    bytes.remove_prefix(piece.size());
    is_whole = piece.empty() || grow(piece) ? received_ == *request_.head.content_length : false;
  }
  if (is_refused_) return false;
  held_.erase(0, held_.size() - bytes.size());
  if (is_whole) begin_work();
  return false;
}

void Http1::begin_work() {
  state_ = State::Working;
  deadline_ns_ = UINT64_MAX;
  auto request = std::make_shared<Request>(std::move(request_));  // a function is copied
  request_.head.keeps_connection = request->head.keeps_connection;
  stream_ = std::make_shared<Http1Stream>(channel_.post());
  const bool is_taken = channel_.work([post = channel_.post(), work = std::move(decision_.work), request, stream = stream_] {
    const auto response = std::make_shared<Response>(work(*request));
    compress(request->head, *response);
    request->body = {};
    const auto fill = std::move(response->stream);
    post([response, is_stream = fill != nullptr](Protocol& protocol) {
      auto& self = static_cast<Http1&>(protocol);
      is_stream ? self.begin_stream(*response) : self.respond(std::move(*response));
    });
    if (fill == nullptr) return;
    fill(*stream);
    stream->finish();
  });
  decision_ = {};
  if (!is_taken) respond(channel_.busy());
}

// The rest of what comes is no request: how long it is was never looked at.
void Http1::refuse(Response response) {
  is_refused_ = true;
  held_ = {};
  decision_ = {};
  request_.body = {};
  respond(std::move(response));
}

void Http1::respond(Response response) {
  if (state_ == State::Ended) return;
  state_ = State::Writing;
  deadline_ns_ = UINT64_MAX;  // who does not read what we write is the connection's to give up
  channel_.send(head_text(response, keeps()));
  if (is_head_request_) return;
  response.fixed_body.empty() ? channel_.send(std::move(response.body)) : channel_.send_fixed(response.fixed_body);
}

void Http1::begin_stream(const Response& response) {
  state_ = State::Streaming;
  is_refused_ = true;  // the connection ends with the stream
  channel_.send(stream_head_text(response));
}

void Http1::on_streamed(const std::string& bytes, bool is_last) {
  if (state_ != State::Streaming) return;
  if (!bytes.empty()) channel_.send(chunk_text(bytes));
  if (is_last) {
    channel_.send(chunk_text({}));
    state_ = State::Writing;
  }
}

void Http1::on_drained() {
  if (state_ == State::Streaming) stream_->on_drained();
  if (state_ != State::Writing) return;
  stream_.reset();
  if (!keeps()) {
    state_ = State::Ended;
    return channel_.end_soon();
  }
  next_request();
}

void Http1::next_request() {
  state_ = State::Head;
  is_head_request_ = false;
  request_ = {};
  if (held_.empty()) held_ = {};
  deadline_ns_ = channel_.now_ns() + channel_.limits().idle_ns;
  advance();
}

void Http1::on_deadline(uint64_t) {
  const bool is_late = (state_ == State::Head && !held_.empty()) || state_ == State::Body;
  if (!is_late) return channel_.end_now();
  refuse(408, "the request took too long");
}

}  // namespace

void stream_to(Protocol& protocol, const std::string& bytes, bool is_last) {
  static_cast<Http1&>(protocol).on_streamed(bytes, is_last);
}

std::unique_ptr<Protocol> create_http1(Channel& channel, bool keeps_connections) {
  return std::make_unique<Http1>(channel, keeps_connections);
}

}  // namespace atys::net

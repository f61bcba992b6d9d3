// SPDX-License-Identifier: Apache-2.0
#include "net/http2.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <atomic>
#include <map>

#include "net/flood_meter.h"
#include "net/request_head.h"

namespace atys::net {

namespace {

constexpr int32_t kWindow = 1 << 20;       // what may be on its way to us, in a stream and in all
constexpr size_t kMostUnsent = 128 << 10;  // more is not made before that is with the kernel
constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
constexpr size_t kForgottenBytes = 64 << 10;

// What things cost, of FloodMeter's account.
constexpr double kFrameCost = 1;
constexpr double kWindowCost = 0.2;
constexpr double kResetCost = 4;
constexpr double kRefusalCost = 4;
constexpr double kAnswerWorth = 8;

struct Call {
  Request request;
  size_t header_bytes = 0;
  size_t received = 0;
  Decision decision;
  uint64_t deadline_ns = UINT64_MAX;  // of the body
  bool is_decided = false;
  bool is_answered = false;
  bool is_whole = false;
  Response response;
  size_t sent = 0;
  // Shared with the thread that works: nobody waits for it any more.
  std::shared_ptr<std::atomic<bool>> is_given_up = std::make_shared<std::atomic<bool>>(false);
};

nghttp2_nv name_value(std::string_view name, std::string_view value) {
  // It copies both, and changes nothing.
  return {reinterpret_cast<uint8_t*>(const_cast<char*>(name.data())),
          reinterpret_cast<uint8_t*>(const_cast<char*>(value.data())), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

class Http2 final : public Protocol {
 public:
  explicit Http2(Channel& channel)
      : channel_(channel), meter_(channel.now_ns()), stays_until_ns_(channel.now_ns() + channel.limits().stranger_ns) {}
  ~Http2() override {
    for (const auto& [id, call] : calls_) *call->is_given_up = true;
    if (session_ != nullptr) nghttp2_session_del(session_);
  }

  void on_bytes(std::string_view bytes) override;
  void on_drained() override { pump(); }
  bool wants_bytes() const override { return !is_ended_ && channel_.unsent_bytes() < kMostUnsent; }
  uint64_t deadline_ns() const override { return std::min(stays_until_ns_, bodies_until_ns_); }
  void on_deadline(uint64_t now_ns) override;

  // From the library.
  int on_frame_begin(const nghttp2_frame_hd& frame);
  void on_headers_begin(int32_t id);
  int on_header(int32_t id, std::string_view name, std::string_view value);
  void on_headers(int32_t id, bool is_last);
  void on_data(int32_t id, std::string_view bytes);
  void on_whole(int32_t id);
  void on_closed(int32_t id, uint32_t error);
  void on_sent(const nghttp2_frame& frame);
  ssize_t read_body(int32_t id, uint8_t* buffer, size_t size, uint32_t* flags);

  void on_response(int32_t id, Response response) {
    answer(id, std::move(response));
    pump();
  }

 private:
  bool begin();
  void pump();
  void charge(double cost);
  void answer(int32_t id, Response response);
  Call* find(int32_t id) {
    const auto found = calls_.find(id);
    return found == calls_.end() ? nullptr : found->second.get();
  }
  void end() {
    is_ended_ = true;
    channel_.end_soon();
  }

  Channel& channel_;
  FloodMeter meter_;
  uint64_t stays_until_ns_;
  uint64_t bodies_until_ns_ = UINT64_MAX;  // the first that may be late
  bool is_known_ = false;
  bool is_ended_ = false;
  bool is_flood_ = false;
  std::string begun_;  // until it is clear that HTTP/2 is spoken: a session costs more than a connection
  nghttp2_session* session_ = nullptr;
  std::map<int32_t, std::unique_ptr<Call>> calls_;
};

Http2& self(void* user) { return *static_cast<Http2*>(user); }

std::string_view as_view(const uint8_t* bytes, size_t size) { return {reinterpret_cast<const char*>(bytes), size}; }

bool begins_request(const nghttp2_frame* frame) {
  return frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST;
}

void set_callbacks(nghttp2_session_callbacks* callbacks) {
  nghttp2_session_callbacks_set_on_begin_frame_callback(
      callbacks,
      [](nghttp2_session*, const nghttp2_frame_hd* frame, void* user) { return self(user).on_frame_begin(*frame); });
  nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks,
                                                          [](nghttp2_session*, const nghttp2_frame* frame, void* user) {
                                                            if (begins_request(frame))
                                                              self(user).on_headers_begin(frame->hd.stream_id);
                                                            return 0;
                                                          });
  nghttp2_session_callbacks_set_on_header_callback(
      callbacks, [](nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name, size_t name_size,
                    const uint8_t* value, size_t value_size, uint8_t, void* user) {
        return self(user).on_header(frame->hd.stream_id, as_view(name, name_size), as_view(value, value_size));
      });
  nghttp2_session_callbacks_set_on_frame_recv_callback(
      callbacks, [](nghttp2_session*, const nghttp2_frame* frame, void* user) {
        const bool is_last = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
        if (begins_request(frame)) self(user).on_headers(frame->hd.stream_id, is_last);
        if ((frame->hd.type == NGHTTP2_DATA || frame->hd.type == NGHTTP2_HEADERS) && is_last)
          self(user).on_whole(frame->hd.stream_id);
        return 0;
      });
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
      callbacks, [](nghttp2_session*, uint8_t, int32_t id, const uint8_t* bytes, size_t size, void* user) {
        self(user).on_data(id, as_view(bytes, size));
        return 0;
      });
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks,
                                                         [](nghttp2_session*, int32_t id, uint32_t error, void* user) {
                                                           self(user).on_closed(id, error);
                                                           return 0;
                                                         });
  nghttp2_session_callbacks_set_on_frame_send_callback(callbacks,
                                                       [](nghttp2_session*, const nghttp2_frame* frame, void* user) {
                                                         self(user).on_sent(*frame);
                                                         return 0;
                                                       });
}

bool Http2::begin() {
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_option* options = nullptr;
  if (nghttp2_session_callbacks_new(&callbacks) != 0 || nghttp2_option_new(&options) != 0) return false;
  set_callbacks(callbacks);
  nghttp2_option_set_no_auto_window_update(options, 1);
  nghttp2_option_set_no_closed_streams(options, 1);
  nghttp2_option_set_max_outbound_ack(options, 100);
  nghttp2_option_set_max_settings(options, 16);
  const int error = nghttp2_session_server_new2(&session_, callbacks, this, options);
  nghttp2_option_del(options);
  nghttp2_session_callbacks_del(callbacks);
  if (error != 0) return false;
  const Limits& limits = channel_.limits();
  const nghttp2_settings_entry settings[] = {
      {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, static_cast<uint32_t>(limits.most_streams)},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kWindow},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, static_cast<uint32_t>(limits.most_head_bytes)},
  };
  nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings, std::size(settings));
  nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, kWindow);
  return true;
}

void Http2::on_bytes(std::string_view bytes) {
  if (is_ended_) return;
  if (session_ == nullptr) {
    begun_.append(bytes.substr(0, kPreface.size() - std::min(kPreface.size(), begun_.size())));
    bytes.remove_prefix(std::min(bytes.size(), kPreface.size()));
    if (!kPreface.starts_with(begun_)) return channel_.end_now();
    if (begun_.size() < kPreface.size()) return;
    if (!begin()) return channel_.end_now();
    if (nghttp2_session_mem_recv(session_, reinterpret_cast<const uint8_t*>(kPreface.data()), kPreface.size()) < 0)
      return channel_.end_now();
    begun_ = {};
  }
  const ssize_t taken = nghttp2_session_mem_recv(session_, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  if (taken < 0) {
    if (is_flood_ || taken == NGHTTP2_ERR_FLOODED || taken == NGHTTP2_ERR_NOMEM) return channel_.end_now();
    nghttp2_session_terminate_session(session_, NGHTTP2_PROTOCOL_ERROR);
  }
  if (is_known_) stays_until_ns_ = channel_.now_ns() + channel_.limits().idle_ns;
  pump();
}

void Http2::pump() {
  if (session_ == nullptr || is_ended_) return;
  while (channel_.unsent_bytes() < kMostUnsent) {
    const uint8_t* bytes = nullptr;
    const ssize_t size = nghttp2_session_mem_send(session_, &bytes);
    if (size < 0) return channel_.end_now();
    if (size == 0) break;
    channel_.send(std::string(as_view(bytes, static_cast<size_t>(size))));
  }
  const bool is_over = nghttp2_session_want_read(session_) == 0 && nghttp2_session_want_write(session_) == 0;
  if (is_over) end();
}

void Http2::charge(double cost) { is_flood_ = !meter_.charge(cost, channel_.now_ns()) || is_flood_; }

// An error ends the connection without reading what else has come.
int Http2::on_frame_begin(const nghttp2_frame_hd& frame) {
  switch (frame.type) {
    case NGHTTP2_DATA:
      if (frame.length == 0) charge(kFrameCost);
      break;
    case NGHTTP2_WINDOW_UPDATE: charge(kWindowCost); break;
    case NGHTTP2_RST_STREAM: charge(kResetCost); break;
    default: charge(kFrameCost); break;
  }
  return is_flood_ ? NGHTTP2_ERR_CALLBACK_FAILURE : 0;
}

void Http2::on_headers_begin(int32_t id) { calls_.emplace(id, std::make_unique<Call>()); }

int Http2::on_header(int32_t id, std::string_view name, std::string_view value) {
  Call* call = find(id);
  if (call == nullptr || call->is_decided) return 0;  // trailers say nothing that we ask for
  const Limits& limits = channel_.limits();
  call->header_bytes += name.size() + value.size() + 32;  // as the standard counts them
  RequestHead& head = call->request.head;
  // The stream is reset by the library.
  if (call->header_bytes > limits.most_head_bytes || head.headers.size() >= limits.most_headers)
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  if (name == ":method") {
    head.method = value;
  } else if (name == ":path") {
    if (value.size() > limits.most_line_bytes || !parse_target(value, head)) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  } else if (name == ":authority") {
    head.headers.emplace_back("host", value);
  } else if (!name.starts_with(':')) {
    head.headers.emplace_back(name, value);
  }
  return 0;
}

void Http2::on_headers(int32_t id, bool is_last) {
  Call* call = find(id);
  if (call == nullptr) return;
  call->is_decided = true;
  call->request.head.peer = channel_.peer();
  call->decision = channel_.decide(call->request.head);
  if (call->decision.is_known && !is_known_) {
    is_known_ = true;
    stays_until_ns_ = channel_.now_ns() + channel_.limits().idle_ns;
    channel_.let_in();
  }
  if (call->decision.answer) {
    charge(kRefusalCost);
    return answer(id, std::move(*call->decision.answer));
  }
  if (is_last) return;
  call->deadline_ns = channel_.now_ns() + channel_.limits().body_ns;
  bodies_until_ns_ = std::min(bodies_until_ns_, call->deadline_ns);
}

void Http2::on_data(int32_t id, std::string_view bytes) {
  Call* call = find(id);
  if (call == nullptr || call->is_answered) {
    nghttp2_session_consume_connection(session_, bytes.size());
    return;
  }
  call->received += bytes.size();
  if (call->decision.grow) {
    if (auto refusal = call->decision.grow(call->received))
      answer(id, std::move(*refusal));
    else
      call->request.body.append(bytes);
  } else if (call->received > kForgottenBytes) {
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
  }
  if (call->is_answered)
    nghttp2_session_consume_connection(session_, bytes.size());
  else
    nghttp2_session_consume(session_, id, bytes.size());
}

void Http2::on_whole(int32_t id) {
  Call* call = find(id);
  if (call == nullptr || call->is_answered || !call->is_decided || call->is_whole) return;
  call->is_whole = true;
  call->deadline_ns = UINT64_MAX;
  auto request = std::make_shared<Request>(std::move(call->request));
  const bool is_taken =
      channel_.work([post = channel_.post(), work = std::move(call->decision.work), request, id, gone = call->is_given_up] {
        if (*gone) return;
        const auto response = std::make_shared<Response>(work(*request));
        post([response, id](Protocol& protocol) { static_cast<Http2&>(protocol).on_response(id, std::move(*response)); });
      });
  call->decision = {};
  if (!is_taken) answer(id, channel_.busy());
}

void Http2::answer(int32_t id, Response response) {
  Call* call = find(id);
  if (call == nullptr || call->is_answered) return;
  call->is_answered = true;
  call->deadline_ns = UINT64_MAX;
  call->response = std::move(response);
  call->decision = {};
  call->request = {};
  const std::string status = std::to_string(call->response.status);
  std::vector<nghttp2_nv> headers{name_value(":status", status)};
  if (!call->response.type.empty()) headers.push_back(name_value("content-type", call->response.type));
  for (const auto& [name, value] : call->response.headers) headers.push_back(name_value(name, value));
  nghttp2_data_provider body{};
  body.source.ptr = this;
  body.read_callback = [](nghttp2_session*, int32_t stream, uint8_t* buffer, size_t size, uint32_t* flags,
                          nghttp2_data_source* source,
                          void*) { return static_cast<Http2*>(source->ptr)->read_body(stream, buffer, size, flags); };
  const bool has_more = !call->response.body.empty() || !call->response.trailers.empty();
  nghttp2_submit_response(session_, id, headers.data(), headers.size(), has_more ? &body : nullptr);
}

ssize_t Http2::read_body(int32_t id, uint8_t* buffer, size_t size, uint32_t* flags) {
  Call* call = find(id);
  if (call == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  const std::string& body = call->response.body;
  const size_t count = std::min(size, body.size() - call->sent);
  std::copy_n(body.data() + call->sent, count, buffer);
  call->sent += count;
  if (call->sent < body.size()) return static_cast<ssize_t>(count);
  *flags |= NGHTTP2_DATA_FLAG_EOF;
  if (!call->response.trailers.empty()) {
    *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
    std::vector<nghttp2_nv> trailers;
    for (const auto& [name, value] : call->response.trailers) trailers.push_back(name_value(name, value));
    nghttp2_submit_trailer(session_, id, trailers.data(), trailers.size());
  }
  return static_cast<ssize_t>(count);
}

// Who was answered before its body was there need not send the rest.
void Http2::on_sent(const nghttp2_frame& frame) {
  const bool is_end =
      (frame.hd.type == NGHTTP2_HEADERS || frame.hd.type == NGHTTP2_DATA) && (frame.hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
  if (!is_end) return;
  if (const Call* call = find(frame.hd.stream_id); call != nullptr && call->is_whole) meter_.reward(kAnswerWorth);
  if (nghttp2_session_get_stream_remote_close(session_, frame.hd.stream_id) == 0)
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, frame.hd.stream_id, NGHTTP2_NO_ERROR);
}

void Http2::on_closed(int32_t id, uint32_t) {
  if (const Call* call = find(id)) *call->is_given_up = true;
  calls_.erase(id);
}

void Http2::on_deadline(uint64_t now_ns) {
  if (!is_known_) return channel_.end_now();
  bodies_until_ns_ = UINT64_MAX;
  for (const auto& [id, call] : calls_) {
    if (call->deadline_ns <= now_ns)
      nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
    else
      bodies_until_ns_ = std::min(bodies_until_ns_, call->deadline_ns);
  }
  if (stays_until_ns_ <= now_ns) {
    // The other side learns from this that it may connect again.
    if (calls_.empty()) nghttp2_session_terminate_session(session_, NGHTTP2_NO_ERROR);
    stays_until_ns_ = now_ns + channel_.limits().idle_ns;
  }
  pump();
}

}  // namespace

std::unique_ptr<Protocol> create_http2(Channel& channel) { return std::make_unique<Http2>(channel); }

}  // namespace atys::net

// SPDX-License-Identifier: Apache-2.0
// Both protocols on a connection that nobody reads from: whatever comes, what they hold stays bounded.
#include <cstdint>
#include <cstdlib>

#include "net/http1.h"
#include "net/http2.h"

namespace atys::net {

namespace {

constexpr size_t kMostHeld = 1 << 20;

class FakeChannel final : public Channel {
 public:
  const Limits& limits() const override { return limits_; }
  const Peer& peer() const override { return peer_; }
  uint64_t now_ns() const override { return 1; }
  Decision decide(const RequestHead& head) override {
    if (head.path.size() > limits_.most_line_bytes || head.headers.size() > limits_.most_headers + 1) std::abort();
    if (head.path != "/a") return Decision::refuse({.status = 404});
    return {.is_known = true,
            .grow = [](size_t bytes) { return bytes > 100 ? std::optional(Response{.status = 413}) : std::nullopt; },
            .work =
                [](Request& request) {
                  return Response{.body = request.body, .trailers = {{"a", "b"}}};
                }};
  }
  Response busy() override { return {.status = 503}; }
  void send(std::string bytes) override { unsent_ += bytes.size(); }
  void send_fixed(std::string_view bytes) override { unsent_ += bytes.size(); }
  size_t unsent_bytes() const override { return unsent_; }
  void end_soon() override { is_over_ = true; }
  void end_now() override { is_over_ = true; }
  void let_in() override {}
  bool work(std::function<void()> job) override {
    job();
    return true;
  }
  Post post() override {
    return [this](const std::function<void(Protocol&)>& what) { letters_.push_back(what); };
  }

  void run(Protocol& protocol, std::string_view bytes) {
    while (!bytes.empty() && !is_over_ && protocol.wants_bytes()) {
      const std::string_view piece = bytes.substr(0, 1 + static_cast<uint8_t>(bytes[0]));
      bytes.remove_prefix(piece.size());
      protocol.on_bytes(piece);
      while (!letters_.empty() && !is_over_) {
        const auto letter = letters_.back();
        letters_.pop_back();
        letter(protocol);
      }
      if (unsent_ > kMostHeld) std::abort();
      if (unsent_ > 1000 && !is_over_) {
        unsent_ = 0;
        protocol.on_drained();
      }
    }
    if (!is_over_) protocol.on_deadline(UINT64_MAX);
  }

 private:
  const Limits limits_;
  const Peer peer_;
  size_t unsent_ = 0;
  bool is_over_ = false;
  std::vector<std::function<void(Protocol&)>> letters_;
};

}  // namespace

}  // namespace atys::net

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace atys::net;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  FakeChannel channel;
  const auto protocol = data[0] % 2 == 0 ? create_http1(channel, true) : create_http2(channel);
  channel.run(*protocol, text);
  return 0;
}

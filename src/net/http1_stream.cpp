// SPDX-License-Identifier: Apache-2.0
#include "net/http1_stream.h"

namespace atys::net {

namespace {

constexpr size_t kMostUnderWay = 256 << 10;

}  // namespace

bool Http1Stream::write(std::string_view bytes) {
  std::unique_lock lock(mutex_);
  // The server's thread closes it when nobody reads for too long.
  changed_.wait(lock, [this] { return is_closed_ || under_way_ < kMostUnderWay; });
  if (is_closed_) return false;
  under_way_ += bytes.size();
  post_([copy = std::string(bytes)](Protocol& protocol) { stream_to(protocol, copy, false); });
  return true;
}

bool Http1Stream::is_open() {
  const std::lock_guard lock(mutex_);
  return !is_closed_;
}

void Http1Stream::finish() {
  post_([](Protocol& protocol) { stream_to(protocol, {}, true); });
}

void Http1Stream::on_drained() {
  const std::lock_guard lock(mutex_);
  under_way_ = 0;
  changed_.notify_all();
}

void Http1Stream::close() {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  changed_.notify_all();
}

}  // namespace atys::net

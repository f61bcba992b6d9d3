// SPDX-License-Identifier: Apache-2.0
// The way from a thread that works to a connection of the server's thread. What is on its way is bounded: who writes waits
// for who reads.
#pragma once

#include <condition_variable>
#include <mutex>

#include "net/channel.h"

namespace atys::net {

// Of http1.cpp: bytes for the response that is under way there.
void stream_to(Protocol& protocol, const std::string& bytes, bool is_last);

class Http1Stream final : public Stream {
 public:
  explicit Http1Stream(Channel::Post post) : post_(std::move(post)) {}

  // Of the thread that works.
  bool write(std::string_view bytes) override;
  bool is_open() override;
  void finish();

  // Of the server's thread.
  void on_drained();
  void close();

 private:
  const Channel::Post post_;
  std::mutex mutex_;
  std::condition_variable changed_;
  size_t under_way_ = 0;
  bool is_closed_ = false;
};

}  // namespace atys::net

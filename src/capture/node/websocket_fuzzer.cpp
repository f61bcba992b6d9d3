// SPDX-License-Identifier: Apache-2.0
#include "capture/node/websocket.h"

#include <cstdlib>

using namespace atys::capture::node;

// However the bytes are cut, the messages are the same.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kMost = 1000;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  WebSocketReader whole(kMost);
  WebSocketReader cut(kMost);
  const bool is_good = whole.feed(bytes).ok();
  bool is_cut_good = true;
  for (size_t i = 0; i < size && is_cut_good; ++i) is_cut_good = cut.feed(bytes.substr(i, 1)).ok();
  if (is_good != is_cut_good) std::abort();
  while (const auto message = whole.next()) {
    const auto same = cut.next();
    if (!same || same->opcode != message->opcode || same->payload != message->payload) std::abort();
    if (message->payload.size() > kMost) std::abort();
  }
  if (cut.next()) std::abort();
  (void)check_upgrade(bytes, "0123456789abcdef").ok();
  return 0;
}

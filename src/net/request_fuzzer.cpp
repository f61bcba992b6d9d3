// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>

#include "net/chunked_body.h"
#include "net/request_head.h"

// The head of a request, then what follows it as chunks.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace atys::net;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Limits limits;
  const auto end = find_head_end(text, 0);
  RequestHead head;
  if (!end) return (void)check_head_size(text, limits), (void)parse_head(text, limits, head), 0;
  if (parse_head(text.substr(0, *end), limits, head)) return 0;
  if (head.headers.size() > limits.most_headers || (head.is_chunked && head.content_length)) std::abort();
  std::string_view rest = text.substr(*end);
  const size_t before = rest.size();
  size_t held = 0;
  ChunkedBody body;
  body.feed(rest, [&](std::string_view piece) {
    held += piece.size();
    return true;
  });
  if (held > before) std::abort();
  return 0;
}

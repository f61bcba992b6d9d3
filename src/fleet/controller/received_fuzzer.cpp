// SPDX-License-Identifier: Apache-2.0
#include "fleet/controller/received.h"

using namespace atys::fleet;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const OtlpEncoding encoding : {OtlpEncoding::Protobuf, OtlpEncoding::Json}) {
    const auto received = read_windows(bytes, encoding, {.now_ns = 1'790'000'000'000'000'000});
    if (!received.ok()) continue;
    const auto again = read_windows(bytes, encoding, {.now_ns = 1'790'000'000'000'000'000});
    CHECK(again.ok() && again->windows.size() == received->windows.size());
    for (size_t i = 0; i < again->windows.size(); ++i) {
      CHECK(again->windows[i].id == received->windows[i].id);
      CHECK(again->windows[i].end_ns >= again->windows[i].start_ns);
    }
  }
  return 0;
}

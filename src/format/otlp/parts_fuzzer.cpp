// SPDX-License-Identifier: Apache-2.0
#include "format/otlp/parts.h"

#include "format/otlp/binary_codec.h"
#include "format/otlp/to_profile.h"

using namespace atys::format::otlp;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  count_entries(bytes);
  auto decoded = decode_binary(bytes);
  if (!decoded.ok()) return 0;
  const auto parts = take_apart(decoded.take(), [](std::string_view type, std::string_view, std::string_view period) {
    return std::string(type.substr(0, 3)) + std::string(period.substr(0, 1));
  });
  if (!parts.ok()) return 0;
  for (const Part& part : *parts) (void)to_profile({part.data}).ok();
  return 0;
}

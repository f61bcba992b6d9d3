// SPDX-License-Identifier: Apache-2.0
#include "format/otlp/steady_tables.h"

#include "format/otlp/binary_codec.h"
#include "format/otlp/index_check.h"

using namespace atys::format::otlp;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  SteadyTables tables;
  for (const std::string_view part : {bytes, bytes.substr(0, size / 2), bytes}) {
    auto decoded = decode_binary(part);
    if (!decoded.ok()) continue;
    const auto written = tables.write(decoded.take());
    if (!written.ok()) continue;
    auto again = decode_binary(*written);
    CHECK(again.ok() && check_indices(*again).ok());
    CHECK(tables.write(again.take()).ok());
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "fleet/wire/control.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto report = atys::fleet::decode_report(bytes); report.ok())
    CHECK(atys::fleet::decode_report(atys::fleet::encode(*report)).ok());
  if (const auto orders = atys::fleet::decode_orders(bytes); orders.ok())
    CHECK(atys::fleet::decode_orders(atys::fleet::encode(*orders)).ok());
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
#include "fleet/wire/export_response.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto response = atys::fleet::decode_export_response({reinterpret_cast<const char*>(data), size});
  if (!response.ok()) return 0;
  const auto again = atys::fleet::decode_export_response(encode(*response));
  CHECK(again.ok() && again->rejected_profiles == response->rejected_profiles);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
#include "fleet/service_query.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto query =
      atys::fleet::parse_service_query(std::string(reinterpret_cast<const char*>(data), size), 1'790'000'000'000'000'000);
  if (!query.ok()) return 0;
  CHECK(query->from_ns < query->to_ns && !to_parameters(*query).empty());
  // What is written of its conditions reads the same.
  atys::fleet::ServiceQuery again;
  CHECK(set_filters(again, atys::fleet::to_conditions(query->matchers)).ok() && again.matchers == query->matchers);
  return 0;
}

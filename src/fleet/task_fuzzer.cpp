// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>

#include "fleet/task.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const atys::Result<atys::fleet::Task> task = atys::fleet::parse_task(text, "fuzz");
  if (task.ok()) CHECK(atys::fleet::parse_task(atys::fleet::to_yaml(*task), "again").ok());
  return 0;
}

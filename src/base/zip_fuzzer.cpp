// SPDX-License-Identifier: Apache-2.0
#include "base/zip.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span<const std::byte> archive(reinterpret_cast<const std::byte*>(data), size);
  for (const char* name : {"packed.txt", "a/stored.txt"}) (void)atys::read_zip_entry(archive, name, 1 << 20);
  return 0;
}

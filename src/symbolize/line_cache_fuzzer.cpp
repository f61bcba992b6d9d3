// SPDX-License-Identifier: Apache-2.0
// Kept lines of any bytes: looked up, continued, and saved again.
#include "symbolize/line_cache.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace atys::symbolize;
  LineCache cache;
  cache.load({reinterpret_cast<const std::byte*>(data), size}, nullptr);
  for (uint64_t address = 0xff8; address < 0x1030; address += 8) (void)cache.find(address);
  for (const uint64_t address : {uint64_t{0}, uint64_t{0x2002}, UINT64_MAX}) (void)cache.find(address);
  cache.add({0x3000, 0x3004, {{"new", "new", "d.cpp", 1, 1}}});
  const atys::Bytes saved = cache.save();
  LineCache again;
  again.load(saved, nullptr);
  if (again.size() != cache.size()) std::abort();
  if (const auto found = cache.find(0x3001); !found || found->front().function != "new") std::abort();
  return 0;
}

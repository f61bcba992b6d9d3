// SPDX-License-Identifier: Apache-2.0
#include "symbolize/jit_map.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto map = atys::symbolize::JitMap::parse({reinterpret_cast<const char*>(data), size});
  for (const uint64_t address : {uint64_t{0}, uint64_t{0x1000}, uint64_t{0x1040}, UINT64_MAX})
    if (const auto found = map.resolve(address);
        found && (address < found->address || address - found->address >= found->size))
      std::abort();
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
#include "symbolize/demangle.h"

#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text = atys::symbolize::demangle({reinterpret_cast<const char*>(data), size});
  if (text.size() > (size_t{64} << 20)) std::abort();
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
#include "symbolize/kernel_symbols.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto symbols = atys::symbolize::KernelSymbols::parse({reinterpret_cast<const char*>(data), size});
  if (!symbols.ok()) return 0;
  for (const uint64_t address : {uint64_t{0}, symbols->text_start(), symbols->text_start() + 16, UINT64_MAX})
    if (const auto found = symbols->resolve(address); found && (found->name.empty() || found->address > address))
      std::abort();
  return 0;
}

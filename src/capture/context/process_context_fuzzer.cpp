// SPDX-License-Identifier: Apache-2.0
// Any payload is understood or refused, and what is kept of it is bounded.
#include <cstdlib>

#include "capture/context/process_context.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto context = atys::capture::parse_process_context({reinterpret_cast<const char*>(data), size});
  if (context.ok() && (context->thread_keys.size() > 256 || context->resource.size() > 256)) std::abort();
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// The bytes that KernelSymbols lives in, in memory as in the cache.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace atys::symbolize {

struct KernelSymbolColumns {
  std::span<const uint64_t> addresses;
  std::span<const uint32_t> names_at;
  std::span<const uint16_t> modules_of;
  std::span<const std::string> modules;  // the first is empty: the kernel itself
  std::string_view names;
};

Bytes encode_kernel_symbols(const KernelSymbolColumns& columns, uint64_t text_start);

}  // namespace atys::symbolize

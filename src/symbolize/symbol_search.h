// SPDX-License-Identifier: Apache-2.0
// Looks for symbols by name, in the tables of a file that may be anybody's. What is small is read here, in blocks, by code
// that was written for hostile bytes; larger tables are read by the worker (jail.h).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "symbolize/cursor.h"
#include "symbolize/elf_file.h"

namespace atys::symbolize {

struct FoundSymbol {
  std::string name;
  uint64_t address = 0;
  uint64_t size = 0;
  uint64_t index = 0;  // in its table
  uint8_t type = 0;    // STT_FUNC …
  bool is_defined = false;
  bool is_dynamic = false;  // from .dynsym
};

enum class Tables : uint8_t { Dynamic, All };

// Those of `names` that the tables have, in their order. Of a table that cannot be read, none.
std::vector<FoundSymbol> find_symbols(const ElfFile& file, const std::vector<std::string_view>& names, Tables tables);

// The worker's part of it.
Result<Bytes> answer_symbols(const ElfFile& file, Cursor& details);

}  // namespace atys::symbolize

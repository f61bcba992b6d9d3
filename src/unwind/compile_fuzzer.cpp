// SPDX-License-Identifier: Apache-2.0
// The unwind rules of a binary of any bytes.
#include <cstdlib>

#include "symbolize/elf_file.h"
#include "unwind/unwind_table.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  const auto file = atys::symbolize::ElfFile::parse(atys::Bytes(bytes, bytes + size), "fuzzed");
  if (!file.ok() || file->unpacked_bytes("") > (uint64_t{16} << 20)) return 0;
  const auto table = atys::unwind::UnwindTable::compile(*file);
  if (!table.ok()) return 0;
  const auto again = atys::unwind::UnwindTable::parse(table->serialize());
  if (!again.ok() || again->size() != table->size()) std::abort();
  return 0;
}

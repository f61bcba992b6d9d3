// SPDX-License-Identifier: Apache-2.0
// An ELF file of any bytes: its symbols, its debug information, and the flat form of the table.
#include "symbolize/symbol_table.h"

#include <cstdlib>
#include <cstring>

#include "symbolize/dwarf.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace atys::symbolize;
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  if (const auto table = SymbolTable::parse({bytes, size})) (void)table->find(0x1000);
  auto parsed = ElfFile::parse(atys::Bytes(bytes, bytes + size), "fuzzed");
  if (!parsed.ok()) return 0;
  const auto file = std::make_shared<const ElfFile>(parsed.take());
  const SymbolTable table = SymbolTable::build(*file);
  const auto again = SymbolTable::parse(table.flat());
  if (!again || again->size() != table.size()) std::abort();
  (void)table.find(0x1000);
  auto info = DwarfInfo::open(file);
  if (!info.ok()) return 0;
  for (const auto& segment : file->segments())
    for (uint64_t i = 0; i < 64; ++i) {
      const uint64_t address = segment.address + i * 16;
      (void)(*info)->frames_at(address);
      if (address != UINT64_MAX && (*info)->same_until(address) <= address) std::abort();
    }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Tables of any bytes: of ELF files, and as they are stored.
#include "unwind/unwind_table.h"

#include <cstdlib>

namespace {

void look_up(const atys::unwind::UnwindTable& table) {
  table.for_each([&](uint64_t begin, uint64_t end, const atys::unwind::Rule& rule) {
    if (begin >= end) std::abort();
    const atys::unwind::Rule* first = table.find(begin);
    const atys::unwind::Rule* last = table.find(end - 1);
    if (first == nullptr || last == nullptr || *first != rule || *last != rule) std::abort();
  });
  for (const uint64_t address : {uint64_t{0}, uint64_t{0x1234}, UINT64_MAX}) table.find(address);
  table.frame_pointer_share();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace atys;
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  if (const auto table = unwind::UnwindTable::parse(bytes); table.ok()) look_up(*table);
  const auto file = symbolize::ElfFile::parse(Bytes(bytes.begin(), bytes.end()), "input");
  if (!file.ok()) return 0;
  const auto table = unwind::UnwindTable::compile(*file);
  if (!table.ok()) return 0;
  look_up(*table);
  const auto again = unwind::UnwindTable::parse(table->serialize());
  if (!again.ok()) std::abort();
  return 0;
}

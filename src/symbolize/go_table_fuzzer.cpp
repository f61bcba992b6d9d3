// SPDX-License-Identifier: Apache-2.0
// A table of any bytes, with inline trees of the same bytes; and an ELF file of any bytes that may have one.
#include "symbolize/go_table.h"

#include <algorithm>
#include <cstdlib>

#include "symbolize/go_binary.h"

namespace {

using namespace atys::symbolize;

constexpr uint64_t kText = 0x400000;
constexpr uint64_t kFuncdata = 0x800000;

void fuzz_table(std::span<const std::byte> bytes) {
  const auto table = GoTable::parse(atys::Bytes(bytes.begin(), bytes.end()), {.text = kText, .funcdata = kFuncdata});
  if (!table) return;
  const ReadMemory read = [&](uint64_t address, std::span<std::byte> into) {
    if (address < kFuncdata || address - kFuncdata > bytes.size() || into.size() > bytes.size() - (address - kFuncdata))
      return false;
    std::ranges::copy(bytes.subspan(address - kFuncdata, into.size()), into.begin());
    return true;
  };
  for (uint64_t offset = 0; offset < 256; ++offset) {
    for (const GoFrame& frame : table->frames_at(kText + offset * 16, read)) {
      if (frame.function.empty() || frame.line < 0) std::abort();
    }
  }
  (void)table->frames_at(~uint64_t{0}, read);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  fuzz_table(bytes);
  auto parsed = ElfFile::parse(atys::Bytes(bytes.begin(), bytes.end()), "fuzzed");
  if (!parsed.ok()) return 0;
  const auto binary = GoBinary::open(std::make_shared<const ElfFile>(parsed.take()));
  if (binary) (void)binary->frames_at(kText);
  return 0;
}

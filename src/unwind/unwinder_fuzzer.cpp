// SPDX-License-Identifier: Apache-2.0
// Walks with any registers, rules and memory: they end, and say no more than they were asked for.
#include "unwind/unwinder.h"

#include <cstdlib>
#include <cstring>

#include "symbolize/cursor.h"

namespace {

using namespace atys::unwind;

constexpr uint64_t kCode = 0x10000;
constexpr uint64_t kStack = 0x20000;
constexpr size_t kMostFrames = 2000;
constexpr size_t kMostGuessedFrames = 8192 + kMostFrames;  // the last guess may be a long one

class Hostile : public Surroundings {
 public:
  Hostile(const UnwindTable& table, std::span<const std::byte> far) : table_(table), far_(far) {}
  CodeAt code_at(uint64_t pc) override { return {(pc & 0x8000) != 0 ? nullptr : &table_, 0}; }
  bool is_executable(uint64_t pc) override { return (pc & 0x4000) != 0; }
  bool read_word(uint64_t address, uint64_t& word) override {
    ++reads;
    if (far_.size() < 8) return false;
    std::memcpy(&word, far_.data() + address % (far_.size() - 7), 8);
    return true;
  }
  size_t read_memory(uint64_t address, std::span<std::byte> into) override {
    if (far_.empty()) return 0;
    for (size_t i = 0; i < into.size(); ++i) into[i] = far_[(address + i) % far_.size()];
    return into.size();
  }
  size_t reads = 0;

 private:
  const UnwindTable& table_;
  std::span<const std::byte> far_;
};

using atys::symbolize::Cursor;

Rule read_rule(Cursor& cursor) {
  Rule rule;
  rule.cfa = static_cast<Rule::Cfa>(cursor.fixed<uint8_t>() % 10);
  rule.fp = static_cast<Rule::Fp>(cursor.fixed<uint8_t>() % 4);
  rule.ra = static_cast<Rule::Ra>(cursor.fixed<uint8_t>() % 2);
  rule.cfa_extra = cursor.fixed<int8_t>();
  rule.cfa_offset = cursor.fixed<int32_t>();
  rule.fp_offset = cursor.fixed<int32_t>();
  rule.ra_offset = cursor.fixed<int16_t>();
  rule.bx_offset = cursor.fixed<int16_t>();
  return rule;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  Cursor cursor(bytes);
  const auto kind = cursor.fixed<uint8_t>();
  const Machine machine = (kind & 1) != 0 ? Machine::Aarch64 : Machine::X86_64;
  std::vector<Row> rows;
  for (size_t count = cursor.fixed<uint8_t>() % 32; rows.size() < count;)
    rows.push_back({kCode + rows.size() * 0x100, read_rule(cursor)});
  rows.push_back({kCode + rows.size() * 0x100, {}});
  const UnwindTable table = UnwindTable::from_rows(machine, rows);
  Registers registers;
  for (uint64_t* value : {&registers.pc, &registers.sp, &registers.fp, &registers.lr, &registers.bx})
    *value = cursor.fixed<uint64_t>();
  registers.has_fp = (kind & 2) == 0;
  registers.has_lr = (kind & 4) == 0;
  registers.has_bx = (kind & 8) == 0;
  if (!cursor.ok()) return 0;
  const std::span<const std::byte> stack = cursor.block(cursor.left());
  Hostile surroundings(table, stack);
  Unwinder unwinder(machine);
  Walk walk;
  for (const uint64_t start : {registers.sp, kStack}) {
    unwinder.walk(registers, {start, stack}, surroundings, kMostFrames, walk);
    if (walk.addresses.size() > kMostFrames || walk.addresses.size() != walk.is_exact.size()) std::abort();
    if (surroundings.reads > 2 * 5 * (kMostFrames + kMostGuessedFrames + 1)) std::abort();
  }
  return 0;
}

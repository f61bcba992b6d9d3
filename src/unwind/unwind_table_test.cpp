// SPDX-License-Identifier: Apache-2.0
#include "unwind/unwind_table.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "support/own_process.h"
#include "unwind/machine_registers.h"

namespace atys::unwind {
namespace {

using symbolize::ElfFile;

// What libdw, which knows nothing of our code, says about an address.
class Oracle {
 public:
  Oracle(const ElfFile& file, Machine machine) : cfi_(dwarf_getcfi_elf(file.handle())), registers_(registers_of(machine)) {}

  ~Oracle() {
    std::free(frame_);
    dwarf_cfi_end(cfi_);
  }
  Oracle(const Oracle&) = delete;
  Oracle& operator=(const Oracle&) = delete;

  bool knows(uint64_t address) {
    std::free(frame_);
    frame_ = nullptr;
    return cfi_ != nullptr && dwarf_cfi_addrframe(cfi_, address, &frame_) == 0;
  }

  bool is_signal_frame() {
    bool is_signal = false;
    dwarf_frame_info(frame_, nullptr, nullptr, &is_signal);
    return is_signal;
  }
  int return_register() { return dwarf_frame_info(frame_, nullptr, nullptr, nullptr); }

  // Of a register: "undefined", "same", "cfa+N" or "other".
  std::string where(int number) {
    Dwarf_Op room[3];
    Dwarf_Op* ops = nullptr;
    size_t count = 0;
    if (dwarf_frame_register(frame_, number, room, &ops, &count) != 0) return "error";
    if (count == 0) return ops == nullptr ? "same" : "undefined";
    if (ops[0].atom != DW_OP_call_frame_cfa) return "other";
    if (count == 1) return "cfa+0";
    if (count == 2 && ops[1].atom == DW_OP_plus_uconst) return "cfa+" + std::to_string(static_cast<int64_t>(ops[1].number));
    return "other";
  }

  std::string cfa() {
    Dwarf_Op* ops = nullptr;
    size_t count = 0;
    if (dwarf_frame_cfa(frame_, &ops, &count) != 0) return "error";
    if (count != 1) return "other";
    if (ops[0].atom == DW_OP_bregx) return cfa_of(ops[0].number, static_cast<int64_t>(ops[0].number2));
    if (ops[0].atom < DW_OP_breg0 || ops[0].atom > DW_OP_breg31) return "other";
    return cfa_of(ops[0].atom - DW_OP_breg0, static_cast<int64_t>(ops[0].number));
  }

 private:
  std::string cfa_of(uint64_t number, int64_t offset) const {
    if (number == registers_.sp) return "sp+" + std::to_string(offset);
    if (number == registers_.fp) return "fp+" + std::to_string(offset);
    return number == registers_.bx ? "bx+" + std::to_string(offset) : "other";
  }

  Dwarf_CFI* cfi_;
  Dwarf_Frame* frame_ = nullptr;
  MachineRegisters registers_;
};

std::string cfa_text(const Rule& rule) {
  switch (rule.cfa) {
    case Rule::Cfa::SpPlus: return "sp+" + std::to_string(rule.cfa_offset);
    case Rule::Cfa::FpPlus: return "fp+" + std::to_string(rule.cfa_offset);
    case Rule::Cfa::BxPlus: return "bx+" + std::to_string(rule.cfa_offset);
    default: return "other";
  }
}

std::string at_cfa(int32_t offset) { return "cfa+" + std::to_string(offset); }

struct Compared {
  size_t rows = 0;
  size_t unknown_to_oracle = 0;
  size_t unsupported = 0;
};

void expect_rule_of_oracle(const Rule& rule, Machine machine, Oracle& oracle, uint64_t address) {
  SCOPED_TRACE(testing::Message() << std::hex << address);
  const std::string ra = oracle.where(oracle.return_register());
  if (rule.cfa == Rule::Cfa::Root) {
    EXPECT_EQ(ra, "undefined");
    return;
  }
  EXPECT_EQ(cfa_text(rule), oracle.cfa());
  EXPECT_EQ(rule.ra == Rule::Ra::InLr ? "same" : at_cfa(rule.ra_offset), ra);
  const std::string fp = oracle.where(static_cast<int>(registers_of(machine).fp));
  if (rule.fp == Rule::Fp::AtCfaPlus) {
    EXPECT_EQ(at_cfa(rule.fp_offset), fp);
  } else if (rule.fp == Rule::Fp::Unchanged) {
    EXPECT_TRUE(fp == "same" || fp == "undefined") << fp;
  }
  if (rule.bx_offset != 0) {
    EXPECT_EQ(at_cfa(rule.bx_offset), oracle.where(3));
  }
}

Compared compare(const ElfFile& file, const UnwindTable& table) {
  Compared compared;
  Oracle oracle(file, table.machine());
  table.for_each([&](uint64_t begin, uint64_t end, const Rule& expected) {
    for (const uint64_t address : {begin, end - 1}) {
      const Rule* rule = table.find(address);
      ASSERT_NE(rule, nullptr);
      ASSERT_EQ(*rule, expected);
      ++compared.rows;
      if (rule->cfa == Rule::Cfa::Unsupported) ++compared.unsupported;
      if (!oracle.knows(address))
        ++compared.unknown_to_oracle;
      else if (rule->cfa != Rule::Cfa::Unsupported && rule->cfa != Rule::Cfa::SignalFrame)
        expect_rule_of_oracle(*rule, table.machine(), oracle, address);
    }
  });
  return compared;
}

void expect_same_as_oracle(const std::string& path, size_t least_rows) {
  const auto file = ElfFile::open(path);
  ASSERT_TRUE(file.ok()) << file.error().message;
  const auto table = UnwindTable::compile(*file);
  ASSERT_TRUE(table.ok()) << table.error().message;
  EXPECT_GT(table->size(), least_rows);
  const Compared compared = compare(*file, *table);
  // The entry point of a program may be known to us only, and on aarch64 its procedure linkage table.
  EXPECT_LE(compared.unknown_to_oracle, table->machine() == Machine::Aarch64 ? 6u : 4u);
  EXPECT_LT(compared.unsupported * 100, compared.rows);
  EXPECT_LE(table->memory_bytes(), table->size() * 12);
}

std::string path_of_library(const char* part) {
  const auto maps = linux::read_maps(::getpid());
  for (const auto& range : *maps)
    if (range.is_executable && range.path.find(part) != std::string::npos) return range.path;
  return {};
}

TEST(unwind_table, says_what_libdw_says_of_the_c_library) { expect_same_as_oracle(path_of_library("/libc.so"), 10000); }
TEST(unwind_table, says_what_libdw_says_of_the_cpp_library) {
  expect_same_as_oracle(path_of_library("/libstdc++.so"), 10000);
}
TEST(unwind_table, says_what_libdw_says_of_the_dynamic_linker) { expect_same_as_oracle(path_of_library("/ld-"), 1000); }
TEST(unwind_table, says_what_libdw_says_of_this_program) { expect_same_as_oracle("/proc/self/exe", 1000); }

// Debian's cross compilers bring the libraries of the other machine.
class OtherMachine : public testing::TestWithParam<const char*> {};

TEST_P(OtherMachine, has_the_rules_that_libdw_has) {
  const std::string folder =
      test::kThisMachine == Machine::X86_64 ? "/usr/aarch64-linux-gnu/lib/" : "/usr/x86_64-linux-gnu/lib/";
  if (!std::filesystem::exists(folder + GetParam())) GTEST_SKIP() << folder << GetParam() << " is not installed";
  expect_same_as_oracle(folder + GetParam(), 5000);
}

INSTANTIATE_TEST_SUITE_P(unwind_table, OtherMachine, testing::Values("libc.so.6", "libstdc++.so.6"));

TEST(unwind_table, survives_being_stored) {
  const auto file = ElfFile::open(path_of_library("/libc.so"));
  ASSERT_TRUE(file.ok());
  const auto table = UnwindTable::compile(*file);
  ASSERT_TRUE(table.ok());
  const Bytes bytes = table->serialize();
  const auto again = UnwindTable::parse(bytes);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->serialize(), bytes);
  EXPECT_EQ(again->frame_pointer_share(), table->frame_pointer_share());
  table->for_each([&](uint64_t begin, uint64_t, const Rule& rule) {
    const Rule* found = again->find(begin);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(*found, rule);
  });
}

TEST(unwind_table, refuses_stored_bytes_that_were_damaged) {
  const std::vector<Row> rows = {{100, {.cfa = Rule::Cfa::SpPlus, .cfa_offset = 8, .ra_offset = -8}},
                                 {110, {.cfa = Rule::Cfa::FpPlus, .cfa_offset = 16, .ra_offset = -8}},
                                 {120, {}}};
  const Bytes sound = UnwindTable::from_rows(Machine::X86_64, rows).serialize();
  ASSERT_TRUE(UnwindTable::parse(sound).ok());
  for (size_t size = 0; size < sound.size(); ++size) EXPECT_FALSE(UnwindTable::parse(std::span(sound).first(size)).ok());
  for (size_t i = 0; i < sound.size(); ++i) {
    Bytes damaged = sound;
    damaged[i] ^= std::byte{0xff};
    const auto table = UnwindTable::parse(damaged);
    if (table.ok()) table->find(105);
  }
  Bytes disordered = sound;
  const size_t starts = sound.size() - 3 * 6;
  std::swap(disordered[starts + 4], disordered[starts + 8]);
  EXPECT_FALSE(UnwindTable::parse(disordered).ok());
  Bytes without_rule = sound;
  without_rule[sound.size() - 1] = std::byte{1};
  EXPECT_FALSE(UnwindTable::parse(without_rule).ok());
}

TEST(unwind_table, knows_nothing_outside_its_rows) {
  const std::vector<Row> rows = {
      {0x1000, {.cfa = Rule::Cfa::SpPlus}}, {0x1010, {}}, {0x9000, {.cfa = Rule::Cfa::FpPlus}}, {0x9001, {}}};
  const UnwindTable table = UnwindTable::from_rows(Machine::X86_64, rows);
  EXPECT_EQ(table.find(0), nullptr);
  EXPECT_EQ(table.find(0xfff), nullptr);
  ASSERT_NE(table.find(0x1000), nullptr);
  ASSERT_NE(table.find(0x100f), nullptr);
  EXPECT_EQ(table.find(0x1010), nullptr);
  EXPECT_EQ(table.find(0x8fff), nullptr);
  ASSERT_NE(table.find(0x9000), nullptr);
  EXPECT_EQ(table.find(0x9000)->cfa, Rule::Cfa::FpPlus);
  EXPECT_EQ(table.find(0x9001), nullptr);
  EXPECT_EQ(table.find(UINT64_MAX), nullptr);
  EXPECT_DOUBLE_EQ(table.frame_pointer_share(), 1.0 / 17);
}

}  // namespace
}  // namespace atys::unwind

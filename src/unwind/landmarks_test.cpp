// SPDX-License-Identifier: Apache-2.0
#include "unwind/landmarks.h"

#include <gelf.h>
#include <gtest/gtest.h>

#include "support/own_process.h"
#include "unwind/unwind_table.h"

namespace atys::unwind {
namespace {

constexpr Rule kFirst{.cfa = Rule::Cfa::SpPlus, .cfa_offset = 8};
constexpr Rule kSecond{.cfa = Rule::Cfa::SpPlus, .cfa_offset = 16};

using Told = std::vector<std::pair<uint64_t, int32_t>>;

TEST(landmarks, fill_gaps_only) {
  const std::vector<Row> rows = {{10, kFirst}, {20, {}}, {30, kFirst}, {40, {}}};
  const std::vector<Row> across = {{5, kSecond}, {25, {}}, {35, kSecond}, {50, {}}};
  const UnwindTable table = UnwindTable::from_rows(Machine::X86_64, fill_gaps(rows, across));
  const auto offset_at = [&](uint64_t address) {
    const Rule* rule = table.find(address);
    return rule == nullptr ? 0 : rule->cfa_offset;
  };
  Told found;
  for (const uint64_t address : {4u, 5u, 9u, 10u, 19u, 20u, 24u, 25u, 29u, 30u, 39u, 40u, 49u, 50u})
    found.emplace_back(address, offset_at(address));
  EXPECT_EQ(found, (Told{{4, 0},
                         {5, 16},
                         {9, 16},
                         {10, 8},
                         {19, 8},
                         {20, 16},
                         {24, 16},
                         {25, 0},
                         {29, 0},
                         {30, 8},
                         {39, 8},
                         {40, 16},
                         {49, 16},
                         {50, 0}}));
}

// Nothing calls it: its bytes are those that C libraries and runtimes without call frame information return from handlers
// by.
#if defined(__x86_64__)
asm(".text\n.globl atys_test_trampoline\natys_test_trampoline: mov $15, %rax; syscall; hlt\n");
#else
asm(".text\n.globl atys_test_trampoline\natys_test_trampoline: mov x8, #139; svc #0; brk #1\n");
#endif
extern "C" void atys_test_trampoline();

TEST(landmarks, find_signal_trampolines_by_their_code) {
  test::OwnProcess process;
  const auto address = reinterpret_cast<uint64_t>(&atys_test_trampoline);
  const CodeAt code = process.code_at(address);
  ASSERT_NE(code.table, nullptr);
  // Its return address less one, its first byte, and where a thread is that has made the system call.
  const uint64_t size = test::kThisMachine == Machine::X86_64 ? 9 : 8;
  for (const uint64_t at : {address - 1, address, address + size}) {
    const Rule* rule = code.table->find(at - code.bias);
    ASSERT_NE(rule, nullptr);
    EXPECT_EQ(rule->cfa, Rule::Cfa::SignalFrame);
  }
}

TEST(landmarks, take_the_entry_of_a_program_for_its_root) {
  const auto file = symbolize::ElfFile::open("/proc/self/exe");
  ASSERT_TRUE(file.ok());
  GElf_Ehdr header;
  ASSERT_NE(gelf_getehdr(file->handle(), &header), nullptr);
  const auto landmarks = find_landmarks(*file, test::kThisMachine);
  const auto table = UnwindTable::from_rows(test::kThisMachine, landmarks.where_nothing_is_known);
  ASSERT_NE(table.find(header.e_entry), nullptr);
  EXPECT_EQ(table.find(header.e_entry)->cfa, Rule::Cfa::Root);
}

TEST(landmarks, know_that_a_plt_slot_leaves_its_callers_frame_alone) {
  const auto file = symbolize::ElfFile::open("/proc/self/exe");
  ASSERT_TRUE(file.ok());
  const auto plt = file->section(".plt");
  if (!plt) GTEST_SKIP() << "linked without a PLT";
  const auto landmarks = find_landmarks(*file, test::kThisMachine);
  const auto table = UnwindTable::from_rows(test::kThisMachine, landmarks.where_nothing_is_known);
  const Rule* rule = table.find(plt->address + plt->bytes.size() - 1);
  ASSERT_NE(rule, nullptr);
  EXPECT_EQ(rule->cfa, test::kThisMachine == Machine::X86_64 ? Rule::Cfa::Plt : Rule::Cfa::SpPlus);
}

}  // namespace
}  // namespace atys::unwind

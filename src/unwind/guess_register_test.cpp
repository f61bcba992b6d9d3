// SPDX-License-Identifier: Apache-2.0
// Walks of threads of which only pc and sp are known.
#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "unwind/unwinder.h"

namespace atys::unwind {
namespace {

constexpr uint64_t kStack = 0x7ffc0000;
constexpr uint64_t kBias = 0x550000000000;

uint64_t slot(size_t word) { return kStack + 8 * word; }
uint64_t at(uint64_t file_address) { return kBias + file_address; }

// A table at kBias, and the code itself where a test has put some.
class Waiting : public Surroundings {
 public:
  Waiting(Machine machine, std::vector<Row> rows) : table(UnwindTable::from_rows(machine, rows)), unwinder_(machine) {}

  CodeAt code_at(uint64_t pc) override { return pc >= kBias && pc < kBias + 0x10000 ? CodeAt{&table, kBias} : CodeAt{}; }
  bool is_executable(uint64_t) override { return false; }
  bool read_word(uint64_t, uint64_t&) override { return false; }
  size_t read_memory(uint64_t address, std::span<std::byte> into) override {
    if (address < kBias || address - kBias + into.size() > code.size()) return 0;
    std::memcpy(into.data(), code.data() + (address - kBias), into.size());
    return into.size();
  }
  // A call that returns to `back`, of the function at `target`; x86_64.
  void put_call(uint64_t back, uint64_t target) {
    const auto distance = static_cast<int32_t>(target - back);
    code[back - 5] = 0xe8;
    std::memcpy(&code[back - 4], &distance, sizeof distance);
  }
  void put(uint64_t address, std::vector<uint8_t> bytes) { std::memcpy(&code[address], bytes.data(), bytes.size()); }

  Walk walk(uint64_t pc, uint64_t sp = slot(0)) {
    Walk walk;
    const Registers only_sp{.pc = pc, .sp = sp, .has_fp = false, .has_lr = false, .has_bx = false};
    unwinder_.walk(only_sp, {kStack, std::as_bytes(std::span(words))}, *this, 100, walk);
    return walk;
  }

  UnwindTable table;
  std::vector<uint64_t> words = std::vector<uint64_t>(256);
  std::vector<uint8_t> code = std::vector<uint8_t>(0x10000, 0x90);

 private:
  Unwinder unwinder_;
};

using Addresses = std::vector<uint64_t>;

constexpr Rule kEntry{.cfa = Rule::Cfa::SpPlus, .cfa_offset = 8, .ra_offset = -8};
constexpr Rule kPushed{
    .cfa = Rule::Cfa::SpPlus, .fp = Rule::Fp::AtCfaPlus, .cfa_offset = 16, .fp_offset = -16, .ra_offset = -8};
constexpr Rule kFramed{
    .cfa = Rule::Cfa::FpPlus, .fp = Rule::Fp::AtCfaPlus, .cfa_offset = 16, .fp_offset = -16, .ra_offset = -8};

// 0x100: a function without a frame. 0x200: one that keeps frame pointers. 0x300: another. 0x400: the root. 0x500: code
// that keeps its frame by rbx. 0x600: one that saves the frame pointer.
std::vector<Row> rows() {
  return {
      {0x100, kEntry},
      {0x180, {}},
      {0x200, kEntry},
      {0x201, kPushed},
      {0x204, kFramed},
      {0x280, {}},
      {0x300, kEntry},
      {0x301, kPushed},
      {0x304, kFramed},
      {0x380, {}},
      {0x400, {.cfa = Rule::Cfa::Root}},
      {0x480, {}},
      {0x500, {.cfa = Rule::Cfa::BxPlus, .cfa_offset = 16, .ra_offset = -8}},
      {0x580, {}},
      {0x600, {.cfa = Rule::Cfa::SpPlus, .fp = Rule::Fp::AtCfaPlus, .cfa_offset = 24, .fp_offset = -16, .ra_offset = -8}},
      {0x680, {}}};
}

TEST(unknown_registers, are_learnt_where_they_were_saved) {
  Waiting process(Machine::X86_64, rows());
  process.words[1] = slot(8);  // saved by 0x600
  process.words[2] = at(0x210);
  process.words[8] = 0;
  process.words[9] = at(0x410);
  const Walk walk = process.walk(at(0x610));
  EXPECT_EQ(walk.addresses, (Addresses{at(0x610), at(0x210), at(0x410)}));
  EXPECT_EQ(walk.end, End::Root);
  EXPECT_FALSE(walk.was_guessed);
}

TEST(unknown_registers, are_never_used) {
  Waiting process(Machine::X86_64, rows());
  process.words[0] = at(0x510);
  const Walk walk = process.walk(at(0x110));
  EXPECT_EQ(walk.addresses, (Addresses{at(0x110), at(0x510)}));
  EXPECT_EQ(walk.end, End::NoRegister);
  EXPECT_STREQ(to_string(walk.end), "register not known");
  process.words[0] = at(0x210);  // nothing on the stack that could be its frame
  EXPECT_EQ(process.walk(at(0x110)).end, End::NoRegister);
}

// read(), called by 0x200, which 0x300 has called, which the root has.
void put_frames(Waiting& process) {
  process.words[0] = at(0x210);
  process.words[20] = slot(40);  // the frame pointer of 0x200 points here
  process.words[21] = at(0x310);
  process.words[40] = 0;
  process.words[41] = at(0x410);
  process.put_call(0x310, 0x200);
  process.put_call(0x410, 0x300);
}

TEST(unknown_registers, frame_is_found_by_the_call_of_its_function) {
  Waiting process(Machine::X86_64, rows());
  put_frames(process);
  const Walk walk = process.walk(at(0x110));
  EXPECT_EQ(walk.addresses, (Addresses{at(0x110), at(0x210), at(0x310), at(0x410)}));
  EXPECT_EQ(walk.end, End::Root);
  EXPECT_TRUE(walk.was_guessed);
}

TEST(unknown_registers, what_other_functions_have_left_behind_is_no_frame) {
  Waiting process(Machine::X86_64, rows());
  put_frames(process);
  process.words[10] = slot(40);  // sound up to the root, but of a call of another function
  process.words[11] = at(0x320);
  process.put_call(0x320, 0x100);
  EXPECT_EQ(process.walk(at(0x110)).addresses, (Addresses{at(0x110), at(0x210), at(0x310), at(0x410)}));
  // 0x200 was called through a register: what is left behind is still no frame of it.
  process.put(0x30b, {0x90, 0x90, 0x90, 0xff, 0xd0});
  EXPECT_EQ(process.walk(at(0x110)).addresses, (Addresses{at(0x110), at(0x210), at(0x310), at(0x410)}));
  // Unless the function that was called may have jumped to it: then nobody knows.
  process.put(0x120, {0xe9, 0xdb, 0, 0, 0});
  const Walk walk = process.walk(at(0x110));
  EXPECT_EQ(walk.addresses, (Addresses{at(0x110), at(0x210)}));
  EXPECT_EQ(walk.end, End::NoRegister);
}

TEST(unknown_registers, what_lies_in_the_room_of_the_function_itself_is_no_frame) {
  Waiting process(Machine::X86_64, rows());
  put_frames(process);
  process.put(0x30b, {0x90, 0x90, 0x90, 0xff, 0xd0});
  process.put(0x320 - 2, {0xff, 0xd0});
  process.words[10] = slot(40);  // nothing tells that it is not
  process.words[11] = at(0x320);
  EXPECT_EQ(process.walk(at(0x110)).addresses[2], at(0x320));
  process.put(0x204, {0x48, 0x83, 0xec, 0x78, 0xc3});  // but that is in its 120 bytes
  EXPECT_EQ(process.walk(at(0x110)).addresses, (Addresses{at(0x110), at(0x210), at(0x310), at(0x410)}));
}

TEST(unknown_registers, aarch64_caller_of_a_leaf_is_whom_its_caller_called) {
  const Rule framed{
      .cfa = Rule::Cfa::SpPlus, .fp = Rule::Fp::AtCfaPlus, .cfa_offset = 48, .fp_offset = -48, .ra_offset = -40};
  Waiting process(Machine::Aarch64, {{0x100, {.cfa = Rule::Cfa::SpPlus, .ra = Rule::Ra::InLr}},
                                     {0x200, {.cfa = Rule::Cfa::SpPlus, .ra = Rule::Ra::InLr}},
                                     {0x204, framed},
                                     {0x300, framed},
                                     {0x400, {.cfa = Rule::Cfa::Root}},
                                     {0x480, {}}});
  process.words[0] = slot(10);  // the record of 0x200, which has called the leaf
  process.words[1] = at(0x310);
  process.words[10] = 0;
  process.words[11] = at(0x410);
  process.put(0x30c, {0xbd, 0xff, 0xff, 0x97});  // bl 0x200
  const Walk walk = process.walk(at(0x108));
  EXPECT_EQ(walk.addresses, (Addresses{at(0x108), at(0x200), at(0x310), at(0x410)}));
  EXPECT_EQ(walk.is_exact, (std::vector<bool>{true, true, false, false}));
  EXPECT_EQ(walk.end, End::Root);
  process.put(0x30c, {0x1f, 0x20, 0x03, 0xd5});  // nop: that was no return address
  EXPECT_EQ(process.walk(at(0x108)).addresses, (Addresses{at(0x108)}));
  EXPECT_EQ(process.walk(at(0x108)).end, End::NoRegister);
}

TEST(unknown_registers, table_tells_where_a_function_makes_its_frame) {
  const UnwindTable table = UnwindTable::from_rows(Machine::X86_64, rows());
  ASSERT_TRUE(table.frame_begin_before(0x250));
  EXPECT_EQ(table.frame_begin_before(0x250)->saved, 0x201u);
  EXPECT_EQ(table.frame_begin_before(0x250)->made, 0x204u);
  for (const uint64_t none : {0x0, 0x110, 0x200, 0x290, 0x410, 0x610, 0x9000}) EXPECT_FALSE(table.frame_begin_before(none));
}

}  // namespace
}  // namespace atys::unwind

// SPDX-License-Identifier: Apache-2.0
// Walks over stacks made by hand: what cannot be had live on the machine that runs the test, and what is hostile.
#include "unwind/unwinder.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "unwind/machine_registers.h"

namespace atys::unwind {
namespace {

constexpr uint64_t kStack = 0x7ffc0000;
constexpr uint64_t kBias = 0x550000000000;

// Code: a table at kBias, code without rules from 0x90000 on, nothing elsewhere. Memory: the copy of the stack only.
class Synthetic : public Surroundings {
 public:
  Synthetic(Machine machine, std::vector<Row> rows) : table(UnwindTable::from_rows(machine, rows)), unwinder_(machine) {}

  CodeAt code_at(uint64_t pc) override {
    ++questions;
    return pc >= kBias && pc < kBias + 0x10000 ? CodeAt{&table, kBias} : CodeAt{};
  }
  bool is_executable(uint64_t pc) override { return pc >= 0x90000 && pc < 0xa0000; }
  bool read_word(uint64_t address, uint64_t& word) override {
    if (address != far_address) return false;
    word = far_word;
    return true;
  }
  uint64_t code_generation() override { return generation; }
  bool follows_call(uint64_t) override { return has_calls; }

  Walk walk(const Registers& registers, size_t max_frames = 100) {
    Walk walk;
    unwinder_.walk(registers, {kStack, std::as_bytes(std::span(words))}, *this, max_frames, walk);
    return walk;
  }

  UnwindTable table;
  std::vector<uint64_t> words = std::vector<uint64_t>(256);
  uint64_t far_address = 0;
  uint64_t far_word = 0;
  uint64_t generation = 0;
  bool has_calls = true;
  size_t questions = 0;

 private:
  Unwinder unwinder_;
};

uint64_t slot(size_t word) { return kStack + 8 * word; }
uint64_t at(uint64_t file_address) { return kBias + file_address; }

using Addresses = std::vector<uint64_t>;

std::vector<Row> aarch64_rows() {
  return {
      {0x100, {.cfa = Rule::Cfa::SpPlus, .ra = Rule::Ra::InLr}},  // leaf
      {0x200, {.cfa = Rule::Cfa::FpPlus, .fp = Rule::Fp::AtCfaPlus, .cfa_offset = 32, .fp_offset = -32, .ra_offset = -24}},
      {0x300, {.cfa = Rule::Cfa::SpPlus, .fp = Rule::Fp::AtCfaPlus, .cfa_offset = 48, .fp_offset = -48, .ra_offset = -40}},
      {0x400, {.cfa = Rule::Cfa::Root}},
      {0x500, {.cfa = Rule::Cfa::SignalFrame}},
      {0x600, {.cfa = Rule::Cfa::SpPlus, .cfa_offset = 64, .ra_offset = -24}},  // no record
      {0x680, {}}};
}

TEST(unwinder_aarch64, finds_the_caller_of_a_leaf_in_lr) {
  Synthetic process(Machine::Aarch64, aarch64_rows());
  process.words[0] = 0;          // frame record of the caller
  process.words[1] = at(0x410);  // its return address
  const Walk walk = process.walk({.pc = at(0x108), .sp = slot(0), .fp = slot(0), .lr = at(0x210)});
  EXPECT_EQ(walk.addresses, (Addresses{at(0x108), at(0x210), at(0x410)}));
  EXPECT_EQ(walk.end, End::Root);
  EXPECT_TRUE(has_no_frame(process.table, 0x108));
  EXPECT_FALSE(has_no_frame(process.table, 0x208));
  EXPECT_FALSE(has_no_frame(process.table, 0x5000));
}

TEST(unwinder_aarch64, takes_signatures_off_return_addresses) {
  EXPECT_EQ(strip_pointer_authentication(0x0032550000000210), 0x550000000210u);
  EXPECT_EQ(strip_pointer_authentication(0xffb2800008001234), 0xffff800008001234u);
  Synthetic process(Machine::Aarch64, aarch64_rows());
  process.words[0] = 0;
  process.words[1] = at(0x410) | uint64_t{0x7a} << 48;
  const Walk walk = process.walk({.pc = at(0x108), .sp = slot(0), .fp = slot(0), .lr = at(0x210) | uint64_t{0x35} << 48});
  EXPECT_EQ(walk.addresses, (Addresses{at(0x108), at(0x210), at(0x410)}));
}

TEST(unwinder_aarch64, does_not_trust_lr_above_the_first_frame) {
  Synthetic process(Machine::Aarch64, aarch64_rows());
  // A rule that says "still in lr" for a frame that has called: the frame record is followed instead.
  process.words[0] = slot(10);
  process.words[1] = at(0x110);
  process.words[10] = 0;
  process.words[11] = at(0x410);
  const Walk walk = process.walk({.pc = at(0x208), .sp = slot(0), .fp = slot(0), .lr = at(0x210)});
  EXPECT_EQ(walk.addresses, (Addresses{at(0x208), at(0x110), at(0x410)}));
  EXPECT_EQ(walk.by_frame_pointer, 1u);
}

TEST(unwinder_aarch64, does_not_believe_sp_after_a_frame_record) {
  Synthetic process(Machine::Aarch64, aarch64_rows());
  // Code without rules, whose frame is larger than its record; then a function whose rule is told from sp.
  process.words[0] = slot(40);
  process.words[1] = at(0x310);
  process.words[40] = slot(60);
  process.words[41] = at(0x210);
  process.words[60] = 0;
  process.words[61] = at(0x410);
  const Walk walk = process.walk({.pc = 0x90010, .sp = slot(0), .fp = slot(0), .lr = 0x90010});
  EXPECT_EQ(walk.addresses, (Addresses{0x90010, at(0x310), at(0x210), at(0x410)}));
  EXPECT_EQ(walk.end, End::Root);
}

TEST(unwinder_aarch64, finds_in_lr_who_called_a_leaf_without_rules) {
  Synthetic process(Machine::Aarch64, aarch64_rows());
  process.words[4] = 0;  // frame record of the caller, above what the leaf has on the stack
  process.words[5] = at(0x410);
  const Registers registers{.pc = 0x90010, .sp = slot(0), .fp = slot(4), .lr = at(0x310) | uint64_t{0x35} << 48};
  EXPECT_EQ(process.walk(registers).addresses, (Addresses{0x90010, at(0x310), at(0x410)}));
  // lr is no return address: the record is followed.
  process.has_calls = false;
  EXPECT_EQ(process.walk(registers).addresses, (Addresses{0x90010, at(0x410)}));
  // It has made a record of its own.
  process.has_calls = true;
  process.words[0] = slot(4);
  process.words[1] = registers.lr;
  const Walk walk = process.walk({.pc = 0x90010, .sp = slot(0), .fp = slot(0), .lr = registers.lr});
  EXPECT_EQ(walk.addresses, (Addresses{0x90010, at(0x310), at(0x410)}));
}

// Two functions without records, the upper one called by code without rules, at whose record the frame pointer still points.
// `work` is where the frame of the lower one begins.
void put_functions_without_records(Synthetic& process, size_t work) {
  process.words[work + 5] = at(0x620);
  process.words[work + 8 + 5] = at(0x710);
  process.words[60] = 0;
  process.words[61] = 0;
}

TEST(unwinder_aarch64, finds_sp_of_the_caller_of_code_that_has_a_record_but_no_rules) {
  Synthetic process(Machine::Aarch64, aarch64_rows());
  process.words[0] = slot(60);  // the record, at the lower end of 32 bytes
  process.words[1] = at(0x610);
  put_functions_without_records(process, 4);
  const Registers registers{.pc = at(0x700), .sp = slot(0), .fp = slot(0), .lr = at(0x6f0)};
  Walk walk = process.walk(registers);
  EXPECT_EQ(walk.addresses, (Addresses{at(0x700), at(0x610), at(0x620), at(0x710)}));
  EXPECT_EQ(walk.is_exact, (std::vector<bool>{true, false, false, false}));
  EXPECT_EQ(walk.end, End::Root);
  EXPECT_TRUE(walk.was_guessed);
  // What should be the caller has called nothing: no place is right, and the record is all there is.
  process.has_calls = false;
  walk = process.walk(registers);
  EXPECT_EQ(walk.addresses, (Addresses{at(0x700), at(0x610)}));
  EXPECT_FALSE(walk.was_guessed);
}

TEST(unwinder_aarch64, finds_the_caller_of_code_of_the_same_binary_that_has_no_rules_and_has_made_no_record_yet) {
  Synthetic process(Machine::Aarch64, aarch64_rows());
  put_functions_without_records(process, 4);
  for (const uint64_t sp : {slot(4), slot(0)}) {  // at its first instruction, and when it has made room
    const Walk walk = process.walk({.pc = at(0x700), .sp = sp, .fp = slot(60), .lr = at(0x610)});
    EXPECT_EQ(walk.addresses, (Addresses{at(0x700), at(0x610), at(0x620), at(0x710)}));
    EXPECT_EQ(walk.end, End::Root);
  }
  // It has called something itself: lr is its own.
  const Walk walk = process.walk({.pc = at(0x700), .sp = slot(4), .fp = slot(60), .lr = at(0x6f0)});
  EXPECT_EQ(walk.addresses, (Addresses{at(0x700)}));
}

// The frame of a signal is found by sp alone, which is lost where code has no rules.
TEST(unwinder_aarch64, knows_sp_again_after_a_function_whose_rule_tells_where_its_record_is) {
  std::vector<Row> rows = aarch64_rows();
  rows[4].address -= 1;
  Synthetic process(Machine::Aarch64, rows);
  const SignalFrameOffsets offsets = signal_frame_of(Machine::Aarch64);
  process.words[0] = slot(10);  // of code without rules
  process.words[1] = at(0x310);
  process.words[10] = slot(20);  // of the handler, at the lower end of its 48 bytes
  process.words[11] = at(0x500);
  const uint64_t frame = 16;
  process.words[frame + offsets.pc / 8] = at(0x104);
  process.words[frame + offsets.sp / 8] = slot(200);
  process.words[frame + offsets.fp / 8] = slot(200);
  process.words[frame + offsets.lr / 8] = at(0x220);
  process.words[200] = 0;
  process.words[201] = at(0x410);
  const Walk walk = process.walk({.pc = 0x90010, .sp = slot(0), .fp = slot(0), .lr = 0});
  EXPECT_EQ(walk.addresses, (Addresses{0x90010, at(0x310), at(0x500), at(0x104), at(0x220), at(0x410)}));
  EXPECT_EQ(walk.end, End::Root);
}

TEST(unwinder_aarch64, goes_through_a_signal_frame) {
  Synthetic process(Machine::Aarch64, aarch64_rows());
  const SignalFrameOffsets offsets = signal_frame_of(Machine::Aarch64);
  const uint64_t frame = 4;  // sp of the trampoline
  process.words[0] = 0;
  process.words[1] = at(0x500);
  process.words[frame + offsets.pc / 8] = at(0x104);
  process.words[frame + offsets.sp / 8] = slot(200);
  process.words[frame + offsets.fp / 8] = slot(200);
  process.words[frame + offsets.lr / 8] = at(0x220);
  process.words[200] = 0;
  process.words[201] = at(0x410);
  // at(0x500) - 1 belongs to the row before: the trampoline's row has to begin one byte early, as compile() makes it.
  std::vector<Row> rows = aarch64_rows();
  rows[4].address -= 1;
  process.table = UnwindTable::from_rows(Machine::Aarch64, rows);
  const Walk walk = process.walk({.pc = at(0x208), .sp = slot(0), .fp = slot(0), .lr = 0});
  EXPECT_EQ(walk.addresses, (Addresses{at(0x208), at(0x500), at(0x104), at(0x220), at(0x410)}));
  EXPECT_EQ(walk.is_exact, (std::vector<bool>{true, false, true, false, false}));
  EXPECT_EQ(walk.end, End::Root);
}

std::vector<Row> x86_rows() {
  return {
      {0x100, {.cfa = Rule::Cfa::SpPlus, .cfa_offset = 8, .ra_offset = -8}},
      {0x200, {.cfa = Rule::Cfa::FpPlus, .fp = Rule::Fp::AtCfaPlus, .cfa_offset = 16, .fp_offset = -16, .ra_offset = -8}},
      {0x300, {.cfa = Rule::Cfa::Plt, .cfa_extra = 11, .cfa_offset = 8, .ra_offset = -8}},
      {0x400, {.cfa = Rule::Cfa::Root}},
      {0x500, {.cfa = Rule::Cfa::AtSpPlus, .cfa_extra = 8, .cfa_offset = 16, .ra_offset = -8}},
      {0x600, {.cfa = Rule::Cfa::Unsupported}},
      {0x700, {}}};
}

TEST(unwinder_x86_64, knows_how_far_a_plt_slot_has_come) {
  Synthetic process(Machine::X86_64, x86_rows());
  process.words[0] = at(0x410);
  EXPECT_EQ(process.walk({.pc = at(0x300), .sp = slot(0)}).addresses, (Addresses{at(0x300), at(0x410)}));
  process.words[0] = 3;  // the index that the slot pushes
  process.words[1] = at(0x410);
  EXPECT_EQ(process.walk({.pc = at(0x30b), .sp = slot(0)}).addresses, (Addresses{at(0x30b), at(0x410)}));
}

TEST(unwinder_x86_64, follows_a_stack_pointer_that_was_kept_in_memory) {
  Synthetic process(Machine::X86_64, x86_rows());
  process.words[2] = slot(9);
  process.words[9] = at(0x410);
  const Walk walk = process.walk({.pc = at(0x510), .sp = slot(0)});
  EXPECT_EQ(walk.addresses, (Addresses{at(0x510), at(0x410)}));
}

TEST(unwinder_x86_64, follows_frame_pointers_through_code_without_rules) {
  Synthetic process(Machine::X86_64, x86_rows());
  process.words[3] = slot(8);
  process.words[4] = at(0x110);  // rules again: no frame of its own
  process.words[5] = 0x90100;    // and once more none
  process.words[8] = 0;
  process.words[9] = at(0x410);
  const Walk walk = process.walk({.pc = 0x90010, .sp = slot(0), .fp = slot(3)});
  EXPECT_EQ(walk.addresses, (Addresses{0x90010, at(0x110), 0x90100, at(0x410)}));
  EXPECT_EQ(walk.by_frame_pointer, 2u);
  EXPECT_EQ(walk.end, End::Root);
}

// As in programs of musl: a function of the C library has been called, and main is called by one.
TEST(unwinder_x86_64, finds_its_way_past_code_without_rules_more_than_once) {
  Synthetic process(Machine::X86_64, x86_rows());
  constexpr uint64_t kNoFramePointer = 4;
  process.words[0] = 7;          // what the function keeps
  process.words[1] = at(0x110);  // its caller, which has rules
  process.words[2] = at(0x710);  // and no rules again
  process.words[3] = 7;
  process.words[4] = at(0x410);
  const Walk walk = process.walk({.pc = at(0x720), .sp = slot(0), .fp = kNoFramePointer});
  EXPECT_EQ(walk.addresses, (Addresses{at(0x720), at(0x110), at(0x710), at(0x410)}));
  EXPECT_EQ(walk.end, End::Root);
  EXPECT_TRUE(walk.was_guessed);
  // A register that is something else there looks like the end of a chain of frame pointers.
  EXPECT_EQ(process.walk({.pc = at(0x720), .sp = slot(0), .fp = 0}).addresses, walk.addresses);
  EXPECT_EQ(process.walk({.pc = at(0x720), .sp = slot(0), .fp = slot(20)}).addresses, walk.addresses);
}

TEST(unwinder_x86_64, says_why_it_went_no_further) {
  Synthetic process(Machine::X86_64, x86_rows());
  EXPECT_EQ(process.walk({.pc = 0x90010, .sp = slot(0), .fp = 0}).end, End::Root);
  EXPECT_EQ(process.walk({.pc = 0x90010, .sp = slot(4), .fp = slot(0)}).end, End::NoRule);      // below sp
  EXPECT_EQ(process.walk({.pc = 0x90010, .sp = slot(0), .fp = slot(2) + 4}).end, End::NoRule);  // not aligned
  EXPECT_EQ(process.walk({.pc = at(0x610), .sp = slot(0), .fp = slot(300)}).end, End::StackCopyEnded);
  EXPECT_EQ(process.walk({.pc = at(0x110), .sp = slot(256)}).end, End::StackCopyEnded);
  EXPECT_EQ(process.walk({.pc = at(0x110), .sp = slot(0)}).end, End::Root);  // return address 0
  process.words[0] = 0xdead;
  const Walk walk = process.walk({.pc = at(0x110), .sp = slot(0)});
  EXPECT_EQ(walk.end, End::BadPointer);
  EXPECT_EQ(walk.addresses, (Addresses{at(0x110)}));
}

TEST(unwinder_x86_64, finds_who_called_through_a_null_pointer) {
  Synthetic process(Machine::X86_64, x86_rows());
  process.words[0] = at(0x110);
  process.words[1] = at(0x410);
  const Walk walk = process.walk({.pc = 0, .sp = slot(0)});
  EXPECT_EQ(walk.addresses, (Addresses{0, at(0x110), at(0x410)}));
}

TEST(unwinder_x86_64, reads_beyond_the_copy_if_it_may) {
  Synthetic process(Machine::X86_64, x86_rows());
  process.far_address = slot(256);
  process.far_word = at(0x410);
  const Walk walk = process.walk({.pc = at(0x110), .sp = slot(256)});
  EXPECT_EQ(walk.addresses, (Addresses{at(0x110), at(0x410)}));
  EXPECT_EQ(walk.end, End::Root);
}

TEST(unwinder_x86_64, asks_about_code_once_a_generation) {
  Synthetic process(Machine::X86_64, x86_rows());
  process.words[0] = at(0x410);
  process.walk({.pc = at(0x110), .sp = slot(0)});
  const size_t asked = process.questions;
  process.walk({.pc = at(0x110), .sp = slot(0)});
  EXPECT_EQ(process.questions, asked);
  process.generation = 1;
  process.walk({.pc = at(0x110), .sp = slot(0)});
  EXPECT_EQ(process.questions, 2 * asked);
}

TEST(unwinder, ends_on_any_memory) {
  std::mt19937_64 random(7);
  for (const Machine machine : {Machine::X86_64, Machine::Aarch64}) {
    Synthetic process(machine, machine == Machine::X86_64 ? x86_rows() : aarch64_rows());
    const auto any = [&]() -> uint64_t {
      switch (random() % 4) {
        case 0: return at(random() % 0x700);
        case 1: return slot(random() % 260);
        case 2: return 0x90000 + random() % 0x100;
        default: return random();
      }
    };
    for (int i = 0; i < 20000; ++i) {
      for (uint64_t& word : process.words) word = any();
      const Walk walk = process.walk({.pc = any(), .sp = slot(random() % 100), .fp = any(), .lr = any(), .bx = any()}, 5000);
      // Each frame takes at least a word of the stack, but for leaves and signal frames.
      EXPECT_LT(walk.addresses.size(), 1000u);
      EXPECT_NE(walk.end, End::TooDeep);
    }
  }
}

}  // namespace
}  // namespace atys::unwind

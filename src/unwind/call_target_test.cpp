// SPDX-License-Identifier: Apache-2.0
#include "unwind/call_target.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace atys::unwind {
namespace {

constexpr uint64_t kCode = 0x400000;

class Image : public Surroundings {
 public:
  CodeAt code_at(uint64_t) override { return {}; }
  bool is_executable(uint64_t) override { return true; }
  bool read_word(uint64_t, uint64_t&) override { return false; }
  bool follows_call(uint64_t) override { return says_call; }
  size_t read_memory(uint64_t address, std::span<std::byte> into) override {
    if (address < kCode || address - kCode >= bytes.size()) return 0;
    const size_t size = std::min(into.size(), bytes.size() - (address - kCode));
    std::memcpy(into.data(), bytes.data() + (address - kCode), size);
    return size;
  }
  uint64_t put(size_t at, std::vector<uint8_t> code) {
    std::memcpy(bytes.data() + at, code.data(), code.size());
    return kCode + at + code.size();
  }
  void put_word(size_t at, uint64_t word) { std::memcpy(bytes.data() + at, &word, sizeof word); }
  void put_arm(size_t at, uint32_t instruction) { std::memcpy(bytes.data() + at, &instruction, sizeof instruction); }

  std::vector<uint8_t> bytes = std::vector<uint8_t>(8192, 0x90);
  bool says_call = false;
};

TEST(call_target, x86_64_is_in_the_call_or_in_the_word_that_it_names) {
  Image image;
  uint64_t back = image.put(0x100, {0xe8, 0xfb, 0x0f, 0, 0});  // call 0x1100
  EXPECT_EQ(call_before(Machine::X86_64, back, image).target, kCode + 0x1100);
  back = image.put(0x200, {0xff, 0x15, 0xfa, 0x05, 0, 0});  // call *0x800
  image.put_word(0x800, 0x1234);
  EXPECT_EQ(call_before(Machine::X86_64, back, image).target, 0x1234u);
  back = image.put(0x300, {0xff, 0xd0});  // call *%rax
  EXPECT_TRUE(call_before(Machine::X86_64, back, image).is_call);
  EXPECT_FALSE(call_before(Machine::X86_64, back, image).target);
  EXPECT_FALSE(call_before(Machine::X86_64, kCode + 0x400, image).is_call);
  EXPECT_FALSE(call_before(Machine::X86_64, 0x10, image).is_call);
  image.says_call = true;  // somebody else knows
  EXPECT_TRUE(call_before(Machine::X86_64, 0x10, image).is_call);
}

TEST(call_target, x86_64_goes_through_slots_that_only_jump) {
  Image image;
  image.put_word(0x1000, 0x5678);
  image.put(0x100, {0xff, 0x25, 0xfa, 0x0e, 0, 0});
  image.put(0x200, {0xf3, 0x0f, 0x1e, 0xfa, 0xf2, 0xff, 0x25, 0xf5, 0x0d, 0, 0});
  image.put(0x300, {0xe9, 0xfb, 0, 0, 0});
  image.put(0x400, {0x55, 0x48, 0x89, 0xe5});
  EXPECT_EQ(follow_jump(Machine::X86_64, kCode + 0x100, image), 0x5678u);
  EXPECT_EQ(follow_jump(Machine::X86_64, kCode + 0x200, image), 0x5678u);
  EXPECT_EQ(follow_jump(Machine::X86_64, kCode + 0x300, image), kCode + 0x400);
  EXPECT_EQ(follow_jump(Machine::X86_64, kCode + 0x400, image), kCode + 0x400);
  EXPECT_EQ(follow_jump(Machine::X86_64, 0x10, image), 0x10u);
}

TEST(call_target, aarch64_is_in_the_call_and_goes_through_slots_that_only_jump) {
  Image image;
  image.put_arm(0x100, 0x94000040);  // bl 0x200
  EXPECT_EQ(call_before(Machine::Aarch64, kCode + 0x104, image).target, kCode + 0x200);
  image.put_arm(0x104, 0x97fffffe);  // bl 0xfc
  EXPECT_EQ(call_before(Machine::Aarch64, kCode + 0x108, image).target, kCode + 0xfc);
  image.put_arm(0x108, 0xd63f0000);  // blr x0
  EXPECT_TRUE(call_before(Machine::Aarch64, kCode + 0x10c, image).is_call);
  EXPECT_FALSE(call_before(Machine::Aarch64, kCode + 0x10c, image).target);
  image.put_arm(0x200, 0xb0000010);  // adrp x16, the next page
  image.put_arm(0x204, 0xf9400a11);  // ldr x17, [x16, #16]
  image.put_word(0x1010, 0x9abc);
  EXPECT_EQ(follow_jump(Machine::Aarch64, kCode + 0x200, image), 0x9abcu);
  image.put_arm(0x300, 0x14000010);  // b 0x340
  EXPECT_EQ(follow_jump(Machine::Aarch64, kCode + 0x300, image), kCode + 0x340);
}

TEST(call_target, knows_who_may_jump_to_a_place) {
  Image image;
  const auto is_there = [](uint64_t address) { return address == kCode + 0x1000; };
  EXPECT_FALSE(may_jump(Machine::X86_64, kCode + 0x100, is_there, image));
  image.put(0x180, {0xe9, 0x7b, 0x0e, 0, 0});
  EXPECT_TRUE(may_jump(Machine::X86_64, kCode + 0x100, is_there, image));
  EXPECT_FALSE(may_jump(Machine::X86_64, kCode + 0x400, is_there, image));
  image.put(0x480, {0xff, 0xe0});  // jmp *%rax
  EXPECT_TRUE(may_jump(Machine::X86_64, kCode + 0x400, is_there, image));
  EXPECT_TRUE(may_jump(Machine::X86_64, 0x10, is_there, image));
  Image other;
  EXPECT_FALSE(may_jump(Machine::Aarch64, kCode, is_there, other));
  other.put_arm(0x40, 0x140003f0);
  EXPECT_TRUE(may_jump(Machine::Aarch64, kCode, is_there, other));
  other.put_arm(0x40, 0xd61f0220);  // br x17
  EXPECT_TRUE(may_jump(Machine::Aarch64, kCode, is_there, other));
}

}  // namespace
}  // namespace atys::unwind

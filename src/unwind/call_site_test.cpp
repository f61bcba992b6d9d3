// SPDX-License-Identifier: Apache-2.0
#include "unwind/call_site.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

namespace atys::unwind {
namespace {

bool after(Machine machine, std::initializer_list<int> code) {
  std::vector<std::byte> bytes;
  for (const int value : code) bytes.push_back(static_cast<std::byte>(value));
  return is_after_call(machine, bytes);
}

TEST(call_site, knows_the_calls_of_x86_64) {
  EXPECT_TRUE(after(Machine::X86_64, {0x90, 0x90, 0x90, 0xe8, 1, 2, 3, 4}));              // call rel32
  EXPECT_TRUE(after(Machine::X86_64, {0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0xd0}));  // call *%rax
  EXPECT_TRUE(after(Machine::X86_64, {0x90, 0x90, 0xff, 0x15, 1, 2, 3, 4}));              // call *rel(%rip)
  EXPECT_TRUE(after(Machine::X86_64, {0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0x50, 8}));     // call *8(%rax)
  EXPECT_TRUE(after(Machine::X86_64, {0x90, 0x90, 0x90, 0x90, 0xff, 0x54, 0x24, 8}));     // call *8(%rsp)
  EXPECT_TRUE(after(Machine::X86_64, {0x90, 0xff, 0x14, 0xc5, 1, 2, 3, 4}));              // call *table(,%rax,8)
}

TEST(call_site, refuses_what_is_no_call) {
  EXPECT_FALSE(after(Machine::X86_64, {0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90}));
  EXPECT_FALSE(after(Machine::X86_64, {0x90, 0x90, 0x90, 0xe9, 1, 2, 3, 4}));              // jmp rel32
  EXPECT_FALSE(after(Machine::X86_64, {0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0xe0}));  // jmp *%rax
  EXPECT_FALSE(after(Machine::X86_64, {}));
}

TEST(call_site, knows_the_calls_of_aarch64) {
  EXPECT_TRUE(after(Machine::Aarch64, {0x01, 0x00, 0x00, 0x94}));   // bl
  EXPECT_TRUE(after(Machine::Aarch64, {0x00, 0x00, 0x3f, 0xd6}));   // blr x0
  EXPECT_FALSE(after(Machine::Aarch64, {0x01, 0x00, 0x00, 0x14}));  // b
  EXPECT_FALSE(after(Machine::Aarch64, {0xc0, 0x03, 0x5f, 0xd6}));  // ret
}

}  // namespace
}  // namespace atys::unwind

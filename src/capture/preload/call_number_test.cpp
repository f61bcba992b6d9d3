// SPDX-License-Identifier: Apache-2.0
#include "capture/preload/library/call_number.h"

#include <gtest/gtest.h>

#include <vector>

namespace atys::preload {
namespace {

long number_in(const std::vector<unsigned char>& code) { return call_number_in(code.data(), code.size()); }

TEST(call_number, is_read_from_wrappers_as_compilers_make_them) {
  EXPECT_EQ(number_in({0xb8, 0x07, 0, 0, 0, 0x0f, 0x05}), 7);  // mov $7,%eax · syscall
  // mov $0x10e,%eax · mov 0x1c(%rsp),%edi · syscall
  EXPECT_EQ(number_in({0xb8, 0x0e, 0x01, 0, 0, 0x8b, 0x7c, 0x24, 0x1c, 0x0f, 0x05}), 0x10e);
  // mov $0xe6,%eax · mov %r12,%r10 · mov %ebp,%edi · xor %esi,%esi · syscall
  EXPECT_EQ(number_in({0xb8, 0xe6, 0, 0, 0, 0x4d, 0x89, 0xe2, 0x89, 0xef, 0x31, 0xf6, 0x0f, 0x05}), 0xe6);
  // mov $0xca,%eax · mov $0x80,%esi · lea 8(%rsp),%r10 · syscall
  EXPECT_EQ(number_in({0xb8, 0xca, 0, 0, 0, 0xbe, 0x80, 0, 0, 0, 0x4c, 0x8d, 0x54, 0x24, 0x08, 0x0f, 0x05}), 0xca);
}

TEST(call_number, is_not_known_where_something_else_may_have_set_it) {
  EXPECT_EQ(number_in({0x0f, 0x05}), -1);
  EXPECT_EQ(number_in({}), -1);
  EXPECT_EQ(number_in({0xb8, 0x07, 0, 0, 0, 0x90, 0x90}), -1);                    // no system call
  EXPECT_EQ(number_in({0xb8, 0x07, 0, 0, 0, 0x89, 0xf8, 0x0f, 0x05}), -1);        // mov %edi,%eax
  EXPECT_EQ(number_in({0xb8, 0x07, 0, 0, 0, 0x8b, 0x04, 0x24, 0x0f, 0x05}), -1);  // mov (%rsp),%eax
  EXPECT_EQ(number_in({0x41, 0xb8, 0x07, 0, 0, 0, 0x0f, 0x05}), -1);              // mov $7,%r8d
  EXPECT_EQ(number_in({0xb8, 0, 0, 0, 0x10, 0x0f, 0x05}), -1);                    // no such call
  EXPECT_EQ(number_in({0xb8, 0x07, 0, 0, 0, 0xe8, 0, 0, 0, 0, 0x0f, 0x05}), -1);  // a call between
}

}  // namespace
}  // namespace atys::preload

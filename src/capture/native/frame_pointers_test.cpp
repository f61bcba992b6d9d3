// SPDX-License-Identifier: Apache-2.0
#include "capture/native/frame_pointers.h"

#include <gtest/gtest.h>

namespace atys::capture::native {
namespace {

constexpr uint64_t kStack = 0x7000;

std::vector<uint64_t> follow(const std::vector<uint64_t>& words, uint64_t fp) {
  RawSample sample{};
  sample.registers.pc = 0x100;
  sample.registers.sp = kStack;
  sample.registers.fp = fp;
  sample.stack_copy = std::as_bytes(std::span(words));
  sample.has_copy = true;
  std::vector<uint64_t> chain;
  follow_frame_pointers(sample, chain);
  EXPECT_FALSE(sample.has_copy);
  EXPECT_EQ(sample.user_frames.size(), chain.size());
  return chain;
}

TEST(frame_pointers, are_followed_to_the_last) {
  EXPECT_EQ(follow({0, kStack + 24, 0x200, 0, 0x300}, kStack + 8), (std::vector<uint64_t>{0x100, 0x200, 0x300}));
  EXPECT_EQ(follow({kStack + 16, 0x200, kStack + 32, 0x300, 0, 0x400}, kStack),
            (std::vector<uint64_t>{0x100, 0x200, 0x300, 0x400}));
}

TEST(frame_pointers, that_lead_nowhere_end_the_chain) {
  EXPECT_EQ(follow({1, 2}, 0), std::vector<uint64_t>{0x100});
  EXPECT_EQ(follow({1, 2}, kStack + 8), std::vector<uint64_t>{0x100});                // half of it is not in the copy
  EXPECT_EQ(follow({1, 2}, ~uint64_t{0} - 4), std::vector<uint64_t>{0x100});          // beyond the end of all
  EXPECT_EQ(follow({kStack, 0x200}, kStack), (std::vector<uint64_t>{0x100, 0x200}));  // to itself
  EXPECT_EQ(follow({kStack + 16, 0x200, kStack, 0x300}, kStack), (std::vector<uint64_t>{0x100, 0x200, 0x300}));  // back
}

}  // namespace
}  // namespace atys::capture::native

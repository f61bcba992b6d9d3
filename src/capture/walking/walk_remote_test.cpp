// SPDX-License-Identifier: Apache-2.0
#include "capture/walking/walk_remote.h"

#include <gtest/gtest.h>

#include "support/fake_memory.h"

namespace atys::capture {
namespace {

constexpr uint64_t kState = 0x1000;
constexpr uint64_t kInner = 0x2000;
constexpr uint64_t kFrames = 0x10000;
constexpr uint64_t kFrameBytes = 0x40;

// State → (8) inner → (16) innermost frame; a frame is {position, code, marker, next}.
atys_walker linked() {
  return {.top = {2, {8, 16}},
          .window = 32,
          .next = 24,
          .code = 8,
          .position = 0,
          .position_bytes = 8,
          .marker = 16,
          .marker_bytes = 2};
}

uint64_t frame_at(size_t index) { return kFrames + index * kFrameBytes; }

class WalkRemote : public testing::Test {
 protected:
  WalkRemote() {
    memory_.map(kState, 0x100);
    memory_.map(kInner, 0x100);
    memory_.put<uint64_t>(kState + 8, kInner);
  }

  // `count` frames of codes 100, 101 …; the first is the innermost.
  void stack(size_t count) {
    memory_.map(kFrames, (count + 1) * kFrameBytes);
    for (size_t i = 0; i < count; ++i) put_frame(i, 100 + i, i + 1 < count ? frame_at(i + 1) : 0);
    set_top(count == 0 ? 0 : kFrames);
  }
  void put_frame(size_t index, uint64_t code, uint64_t next) {
    memory_.put<uint64_t>(frame_at(index), 7 * index);
    memory_.put<uint64_t>(frame_at(index) + 8, code);
    memory_.put<uint16_t>(frame_at(index) + 16, static_cast<uint16_t>(index + 1));
    memory_.put<uint64_t>(frame_at(index) + 24, next);
  }
  void set_top(uint64_t frame) { memory_.put<uint64_t>(kInner + 16, frame); }
  RemoteWalk walk() { return walk_remote(memory_, walker_, kState, frames_); }

  test::FakeMemory memory_;
  atys_walker walker_ = linked();
  std::vector<atys_walked> frames_;
};

TEST_F(WalkRemote, says_code_marker_and_position_of_each_frame) {
  stack(3);
  ASSERT_EQ(walk(), RemoteWalk::Whole);
  ASSERT_EQ(frames_.size(), 3U);
  for (uint64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(frames_[i].code, (100 + i) | (i + 1) << 48);
    EXPECT_EQ(frames_[i].position, 7 * i);
  }
}

TEST_F(WalkRemote, reads_a_position_of_four_bytes_alone) {
  stack(1);
  memory_.put<uint64_t>(kFrames, 0xffffffff00000005);
  walker_.position_bytes = 4;
  ASSERT_EQ(walk(), RemoteWalk::Whole);
  EXPECT_EQ(frames_[0].position, 5U);
}

TEST_F(WalkRemote, walks_frames_that_lie_side_by_side_up_to_the_end) {
  stack(5);
  walker_.stride = kFrameBytes;
  walker_.end = {1, {24}};
  memory_.put<uint64_t>(kState + 24, frame_at(4));
  ASSERT_EQ(walk(), RemoteWalk::Whole);
  ASSERT_EQ(frames_.size(), 4U);
  EXPECT_EQ(frames_[3].code & 0xffff, 103U);
}

TEST_F(WalkRemote, starts_the_window_before_the_frame_where_the_table_says_so) {
  stack(2);
  walker_.window_at = -16;
  set_top(frame_at(0) + 16);
  put_frame(0, 100, frame_at(1) + 16);
  ASSERT_EQ(walk(), RemoteWalk::Whole);
  ASSERT_EQ(frames_.size(), 2U);
  EXPECT_EQ(frames_[1].code & 0xffff, 101U);
}

TEST_F(WalkRemote, is_idle_without_a_frame) {
  stack(0);
  frames_.push_back({1, 2});
  EXPECT_EQ(walk(), RemoteWalk::Idle);
  EXPECT_TRUE(frames_.empty());
}

TEST_F(WalkRemote, keeps_the_innermost_frames_of_a_stack_that_is_too_deep) {
  stack(ATYS_MAX_WALKED + 1);
  EXPECT_EQ(walk(), RemoteWalk::Cut);
  ASSERT_EQ(frames_.size(), size_t{ATYS_MAX_WALKED});
  EXPECT_EQ(frames_[0].code & 0xffff, 100U);
}

TEST_F(WalkRemote, takes_a_stack_of_just_the_greatest_depth_for_whole) {
  stack(ATYS_MAX_WALKED);
  EXPECT_EQ(walk(), RemoteWalk::Whole);
}

TEST_F(WalkRemote, discards_frames_that_run_in_a_circle_after_few_reads) {
  stack(10);
  for (const size_t target : {size_t{0}, size_t{4}, size_t{9}}) {
    put_frame(9, 109, frame_at(target));
    memory_.reads = 0;
    EXPECT_EQ(walk(), RemoteWalk::Torn) << target;
    EXPECT_TRUE(frames_.empty());
    EXPECT_LT(memory_.reads, 50U * kWalkAttempts) << target;
  }
}

TEST_F(WalkRemote, discards_a_walk_into_memory_that_is_not_there) {
  stack(3);
  for (const uint64_t nowhere : {uint64_t{8}, uint64_t{0x999000}, ~uint64_t{0}, uint64_t{kFrames + 4 * kFrameBytes - 8}}) {
    put_frame(1, 101, nowhere);
    EXPECT_EQ(walk(), RemoteWalk::Torn) << nowhere;
    EXPECT_TRUE(frames_.empty());
  }
}

TEST_F(WalkRemote, is_torn_and_not_idle_when_the_state_is_gone) {
  stack(3);
  memory_.unmap(kInner);
  EXPECT_EQ(walk(), RemoteWalk::Torn);
  memory_.unmap(kState);
  EXPECT_EQ(walk(), RemoteWalk::Torn);
}

TEST_F(WalkRemote, tries_again_when_the_innermost_frame_changed) {
  stack(4);
  bool has_returned = false;
  memory_.after_read = [&](uint64_t address) {
    if (address == frame_at(2) && !has_returned) set_top(frame_at(1)), has_returned = true;
  };
  ASSERT_EQ(walk(), RemoteWalk::Whole);
  ASSERT_EQ(frames_.size(), 3U);
  EXPECT_EQ(frames_[0].code & 0xffff, 101U);
}

TEST_F(WalkRemote, tries_again_when_another_function_took_the_place_of_the_innermost_frame) {
  stack(4);
  bool has_changed = false;
  memory_.after_read = [&](uint64_t address) {
    if (address == frame_at(3) && !has_changed) put_frame(0, 55, frame_at(1)), has_changed = true;
  };
  ASSERT_EQ(walk(), RemoteWalk::Whole);
  EXPECT_EQ(frames_[0].code & 0xffff, 55U);
}

TEST_F(WalkRemote, gives_up_on_a_stack_that_never_rests) {
  stack(4);
  size_t walks = 0;
  memory_.after_read = [&](uint64_t address) {
    if (address == frame_at(3)) set_top(frame_at(++walks % 2));
  };
  EXPECT_EQ(walk(), RemoteWalk::Torn);
  EXPECT_EQ(walks, static_cast<size_t>(kWalkAttempts));
  EXPECT_TRUE(frames_.empty());
}

TEST_F(WalkRemote, does_not_trust_the_table) {
  stack(3);
  walker_.window = ATYS_FRAME_WINDOW + 1;
  EXPECT_EQ(walk(), RemoteWalk::Torn);
  walker_ = linked();
  walker_.code = 0xfffffff0;
  walker_.marker = 4000;
  walker_.marker_bytes = 9;
  EXPECT_EQ(walk(), RemoteWalk::Whole);
  EXPECT_EQ(frames_[0].code, 0U);
  walker_.top.count = 1000;
  walker_.end.count = 1000;
  walk();
}

TEST(follow_remote, goes_nowhere_from_nothing_and_stays_without_steps) {
  test::FakeMemory memory;
  memory.map(0x1000, 16);
  EXPECT_EQ(follow_remote(memory, 0x1000, {}), 0x1000U);
  EXPECT_EQ(follow_remote(memory, 0x1000, {2, {0, 0}}), 0U);
  EXPECT_EQ(follow_remote(memory, 0, {1, {0}}), 0U);
}

}  // namespace
}  // namespace atys::capture

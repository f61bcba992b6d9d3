// SPDX-License-Identifier: Apache-2.0
// What the tables up to 3.12 say is held against real interpreters by python_image_test.cpp.
#include "capture/python/layout.h"

#include <gtest/gtest.h>

#include <vector>

#include "support/fake_python.h"

namespace atys::capture::python {
namespace {

using Build = test::FakePython::Build;
using test::FakePython;

Result<Layout> layout_in(FakePython& python, uint32_t minor) {
  return find_layout(minor, python.memory(), FakePython::kRuntime);
}

TEST(layout, is_known_without_a_look_at_the_process_up_to_3_12) {
  test::FakeMemory nothing;
  for (uint32_t minor = kOldestMinor; minor < kFirstWithDebugOffsets; ++minor) {
    const auto layout = find_layout(minor, nothing, 0);
    ASSERT_TRUE(layout.ok()) << minor;
    EXPECT_EQ(layout->minor, minor);
    EXPECT_EQ(layout->native_thread_id != 0, minor >= 11);
    EXPECT_EQ(layout->code_bytecode != 0, minor >= 11);
  }
  EXPECT_EQ(nothing.reads, 0U);
}

TEST(layout, has_one_mark_of_an_entry_for_each_way_to_call) {
  test::FakeMemory nothing;
  EXPECT_EQ(find_layout(8, nothing, 0)->entry_mark, EntryMark::EveryFrame);
  EXPECT_EQ(find_layout(10, nothing, 0)->entry_mark, EntryMark::EveryFrame);
  EXPECT_EQ(find_layout(11, nothing, 0)->entry_mark, EntryMark::Flag);
  EXPECT_EQ(find_layout(12, nothing, 0)->entry_mark, EntryMark::Shim);
  FakePython python(14);
  EXPECT_EQ(layout_in(python, 14)->entry_mark, EntryMark::Shim);
}

TEST(layout, refuses_versions_that_nobody_has_seen) {
  test::FakeMemory nothing;
  for (const uint32_t minor : {0U, 7U, kNewestMinor + 1, 255U, UINT32_MAX}) {
    const auto layout = find_layout(minor, nothing, 0);
    ASSERT_FALSE(layout.ok()) << minor;
    EXPECT_EQ(layout.error().code, ErrorCode::Unsupported);
    EXPECT_NE(layout.error().hint, "");
  }
}

// Each word of the table gets a value of its own; what the layout has tells which word was taken.
TEST(layout, takes_each_offset_from_its_place_in_the_interpreters_own_table) {
  for (uint32_t minor = kFirstWithDebugOffsets; minor <= kNewestMinor; ++minor) {
    FakePython python(minor, Build::FreeThreaded);
    for (size_t i = 3; i < 96; ++i) python.put_word(i, i);
    const auto layout = layout_in(python, minor);
    ASSERT_TRUE(layout.ok()) << layout.error().message;
    const test::PythonTable table(minor);
    EXPECT_EQ(layout->interpreters_head, table.runtime + 2);
    EXPECT_EQ(layout->interpreter_next, table.interpreter + 2);
    EXPECT_EQ(layout->interpreter_threads, table.interpreter + 3);
    EXPECT_EQ(layout->thread_next, table.thread + 2);
    EXPECT_EQ(layout->thread_interpreter, table.thread + 3);
    EXPECT_EQ(layout->top.count, 1U);
    EXPECT_EQ(layout->top.steps[0], table.thread + 4);
    EXPECT_EQ(layout->thread_id, table.thread_id);
    EXPECT_EQ(layout->native_thread_id, table.thread_id + 1);
    EXPECT_EQ(layout->frame_next, table.frame + 1);
    EXPECT_EQ(layout->frame_code, table.frame + 2);
    EXPECT_EQ(layout->frame_position, table.frame + 3);
    EXPECT_EQ(layout->frame_marker, table.frame + 5);
    EXPECT_EQ(layout->code_filename, table.code + 1);
    EXPECT_EQ(layout->code_name, table.code + 3);
    EXPECT_EQ(layout->code_line_table, table.code + 4);
    EXPECT_EQ(layout->code_first_line, table.code + 5);
    EXPECT_EQ(layout->code_bytecode, table.code + 9);
    EXPECT_EQ(layout->code_thread_local, minor == 13 ? 0 : table.code + 10);
    EXPECT_EQ(layout->object_type, table.object + 1);
    EXPECT_EQ(layout->bytes_size, table.bytes + 1);
    EXPECT_EQ(layout->bytes_data, table.bytes + 2);
    EXPECT_EQ(layout->text_state, table.text + 1);
    EXPECT_EQ(layout->text_length, table.text + 2);
    EXPECT_EQ(layout->text_ascii_data, table.text + 3);
    EXPECT_EQ(layout->text_compact_data, table.text + 3 + 16);
  }
}

TEST(layout, says_who_holds_the_lock_where_there_is_one) {
  for (uint32_t minor = kFirstWithDebugOffsets; minor <= kNewestMinor; ++minor) {
    FakePython python(minor);
    const auto layout = layout_in(python, minor);
    ASSERT_EQ(layout->holder.count, 1U);
    EXPECT_EQ(layout->holder.steps[0], python.word(test::PythonTable(minor).lock_holder));
    EXPECT_FALSE(layout->is_holder_in_runtime);
    EXPECT_EQ(layout->code_thread_local, 0U);
    FakePython free_threaded(minor, Build::FreeThreaded);
    EXPECT_EQ(layout_in(free_threaded, minor)->holder.count, 0U);
  }
}

TEST(layout, is_there_later_when_the_table_cannot_be_read) {
  test::FakeMemory memory;
  EXPECT_EQ(find_layout(13, memory, FakePython::kRuntime).error().code, ErrorCode::Unavailable);
  memory.map(FakePython::kRuntime, 64);
  EXPECT_EQ(find_layout(13, memory, FakePython::kRuntime).error().code, ErrorCode::Unavailable);
}

TEST(layout, does_not_believe_a_table_of_something_else) {
  FakePython python(14);
  EXPECT_FALSE(layout_in(python, 13).ok());
  EXPECT_FALSE(layout_in(python, 15).ok());
  python.put_word(1, 0x020e00f0);
  EXPECT_FALSE(layout_in(python, 14).ok()) << "it is of Python 2.14";
  python.put_word(1, 0x030e00f0);
  EXPECT_TRUE(layout_in(python, 14).ok());
  python.memory().put_bytes(FakePython::kRuntime, "xdebugpx");
  EXPECT_EQ(layout_in(python, 14).error().code, ErrorCode::InvalidInput);
}

// One word after the other is a lie. Those that we do not look at may be anything.
TEST(layout, does_not_believe_an_offset_that_is_too_large) {
  for (uint32_t minor = kFirstWithDebugOffsets; minor <= kNewestMinor; ++minor) {
    FakePython python(minor);
    const test::PythonTable table(minor);
    size_t refused = 0;
    for (size_t i = 3; i < 96; ++i) {
      const uint64_t truth = python.word(i);
      for (const uint64_t lie : {uint64_t{1} << 32, ~uint64_t{0}, uint64_t{2} << 20}) {
        python.put_word(i, lie);
        const auto layout = layout_in(python, minor);
        EXPECT_TRUE(layout.ok() || layout.error().code == ErrorCode::InvalidInput);
        if (lie == ~uint64_t{0}) refused += layout.ok() ? 0 : 1;
      }
      python.put_word(i, truth);
    }
    EXPECT_EQ(refused, 25U) << "3." << minor;  // as many as are taken from it
  }
}

TEST(layout, never_wants_more_of_a_frame_than_the_sampler_reads) {
  FakePython python(13);
  const test::PythonTable table(13);
  for (const size_t word : {table.frame + 1, table.frame + 2, table.frame + 3, table.frame + 5}) {
    python.put_word(word, ATYS_FRAME_WINDOW - 8);
    Interpreter interpreter{.layout = *layout_in(python, 13)};
    EXPECT_LE(interpreter.walker().window, uint32_t{ATYS_FRAME_WINDOW});
    python.put_word(word, ATYS_FRAME_WINDOW - 7);
    EXPECT_FALSE(layout_in(python, 13).ok());
    python.put_word(word, 8);
  }
}

}  // namespace
}  // namespace atys::capture::python

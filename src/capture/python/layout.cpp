// SPDX-License-Identifier: Apache-2.0
#include "capture/python/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace atys::capture::python {

namespace {

constexpr size_t kMostWords = 96;  // of the table that 3.13 and later begin their memory with

#if defined(__x86_64__)
constexpr uint32_t kMutexes = 0;  // what the locks before the field below take more than on x86_64
#else
constexpr uint32_t kMutexes = 16;
#endif

// Frames that are objects, chained by f_back.
Layout frames_are_objects(uint32_t minor) {
  Layout layout{.minor = minor};
  layout.interpreters_head = 32;
  layout.interpreter_threads = 8;
  layout.interpreter_modules = minor == 8 ? 56 : 856;
  layout.is_holder_in_runtime = true;
  layout.holder = {1, {(minor == 8 ? 1368 : 568) + kMutexes}};
  layout.thread_next = 8;
  layout.thread_interpreter = 16;
  layout.thread_id = 176;
  layout.top = {1, {24}};
  layout.frame_next = 24;
  layout.frame_code = 32;
  layout.frame_position = minor == 10 ? 96 : 104;
  layout.position_bytes = 4;
  layout.entry_mark = EntryMark::EveryFrame;
  layout.code_filename = 104;
  layout.code_name = 112;
  layout.code_line_table = 120;
  layout.code_first_line = 40;
  layout.text_ascii_data = 48;
  layout.text_compact_data = 72;
  return layout;
}

Layout layout_of_3_11() {
  Layout layout = frames_are_objects(11);
  layout.interpreters_head = 40;
  layout.interpreter_threads = 16;
  layout.interpreter_modules = 888;
  layout.holder = {1, {576 + kMutexes}};
  layout.thread_id = 152;
  layout.native_thread_id = 160;
  layout.top = {2, {56, 8}};
  layout.frame_next = 48;
  layout.frame_code = 32;
  layout.frame_position = 56;
  layout.position_bytes = 8;
  layout.frame_marker = 68;
  layout.marker_bytes = 1;
  layout.entry_mark = EntryMark::Flag;
  layout.code_filename = 112;
  layout.code_name = 128;
  layout.code_line_table = 136;
  layout.code_first_line = 72;
  layout.code_bytecode = 184;
  layout.type_shared_keys = 872;
  return layout;
}

Layout layout_of_3_12() {
  Layout layout = layout_of_3_11();
  layout.minor = 12;
  layout.interpreter_threads = 72;
  layout.interpreter_modules = 944;
  layout.is_holder_in_runtime = false;
  layout.holder = {2, {384, 8}};
  layout.thread_id = 136;
  layout.native_thread_id = 144;
  layout.top = {2, {56, 0}};
  layout.frame_next = 8;
  layout.frame_code = 0;
  layout.frame_marker = 70;
  layout.entry_mark = EntryMark::Shim;
  layout.code_first_line = 68;
  layout.code_bytecode = 192;
  layout.type_shared_keys = 880;
  layout.text_ascii_data = 40;
  layout.text_compact_data = 56;
  return layout;
}

// Where in the interpreter's own table of offsets each of them is, as a number of a word; the table grows with each version.
struct TableOfOffsets {
  uint32_t interpreters_head, interpreter_next, interpreter_threads, interpreter_modules, lock_holder;
  uint32_t thread_next, thread_interpreter, current_frame, thread_id, native_thread_id;
  uint32_t frame_previous, frame_executable, frame_instruction, frame_owner;
  uint32_t code_filename, code_qualname, code_line_table, code_first_line, code_bytecode, code_thread_local;
  uint32_t object_type, bytes_size, bytes_data, text_state, text_length, text_ascii_size;
};
constexpr std::array<TableOfOffsets, 3> kTables{{
    {5, 8, 9, 11, 18, 21, 22, 23, 24, 25, 29, 30, 31, 33, 35, 37, 38, 39, 43, 0, 45, 65, 66, 68, 69, 70},
    {5, 8, 9, 12, 19, 24, 25, 26, 27, 28, 32, 33, 34, 36, 40, 42, 43, 44, 48, 49, 51, 75, 76, 78, 79, 80},
    {5, 8, 9, 12, 19, 24, 25, 26, 30, 31, 40, 41, 42, 44, 48, 50, 51, 52, 56, 57, 59, 87, 88, 90, 91, 92},
}};

class TableReader {
 public:
  explicit TableReader(const std::array<uint64_t, kMostWords>& words) : words_(words) {}

  // Nothing that we look at lies further into its structure than this; interpreters are the largest, with 300 KB.
  uint32_t at(uint32_t word, uint64_t most) {
    if (words_[word] > most) is_sound_ = false;
    return static_cast<uint32_t>(words_[word]);
  }
  bool is_sound() const { return is_sound_; }

 private:
  const std::array<uint64_t, kMostWords>& words_;
  bool is_sound_ = true;
};

Layout fill(uint32_t minor, const std::array<uint64_t, kMostWords>& words, bool& is_sound) {
  constexpr uint64_t kInterpreter = uint64_t{1} << 20;
  constexpr uint64_t kThread = 4096;
  constexpr uint64_t kFrame = ATYS_FRAME_WINDOW - 8;
  constexpr uint64_t kObject = 512;
  const TableOfOffsets& table = kTables[minor - kFirstWithDebugOffsets];
  TableReader read(words);
  Layout layout{.minor = minor, .is_free_threaded = words[2] != 0};
  layout.interpreters_head = read.at(table.interpreters_head, kInterpreter);
  layout.interpreter_next = read.at(table.interpreter_next, kInterpreter);
  layout.interpreter_threads = read.at(table.interpreter_threads, kInterpreter);
  layout.interpreter_modules = read.at(table.interpreter_modules, kInterpreter);
  if (!layout.is_free_threaded) layout.holder = {1, {read.at(table.lock_holder, kInterpreter)}};
  layout.thread_next = read.at(table.thread_next, kThread);
  layout.thread_interpreter = read.at(table.thread_interpreter, kThread);
  layout.top = {1, {read.at(table.current_frame, kThread)}};
  layout.thread_id = read.at(table.thread_id, kThread);
  layout.native_thread_id = read.at(table.native_thread_id, kThread);
  layout.frame_next = read.at(table.frame_previous, kFrame);
  layout.frame_code = read.at(table.frame_executable, kFrame);
  layout.frame_position = read.at(table.frame_instruction, kFrame);
  layout.frame_marker = read.at(table.frame_owner, kFrame);
  layout.marker_bytes = 1;
  layout.code_filename = read.at(table.code_filename, kObject);
  layout.code_name = read.at(table.code_qualname, kObject);
  layout.code_line_table = read.at(table.code_line_table, kObject);
  layout.code_first_line = read.at(table.code_first_line, kObject);
  layout.code_bytecode = read.at(table.code_bytecode, kObject);
  if (layout.is_free_threaded && table.code_thread_local != 0)
    layout.code_thread_local = read.at(table.code_thread_local, kObject);
  layout.object_type = read.at(table.object_type, kObject);
  layout.type_shared_keys = layout.object_type + (minor >= 15 ? 880 : 872);
  layout.bytes_size = read.at(table.bytes_size, kObject);
  layout.bytes_data = read.at(table.bytes_data, kObject);
  layout.text_state = read.at(table.text_state, kObject);
  layout.text_length = read.at(table.text_length, kObject);
  layout.text_ascii_data = read.at(table.text_ascii_size, kObject);
  layout.text_compact_data = layout.text_ascii_data + 16;
  if (layout.is_free_threaded && minor >= 14) layout.text_kind_bit = 8;
  is_sound = read.is_sound();
  return layout;
}

Result<Layout> told_layout(uint32_t minor, linux::MemoryReader& memory, uint64_t runtime) {
  std::array<uint64_t, kMostWords> words{};
  if (!memory.read_all(runtime, std::as_writable_bytes(std::span(words))))
    return fail(ErrorCode::Unavailable, "the interpreter's table of offsets cannot be read");
  if (std::memcmp(words.data(), "xdebugpy", 8) != 0)
    return fail(ErrorCode::InvalidInput, "the interpreter has no table of offsets where it should be");
  if (words[1] >> 16 != (3U << 8 | minor))
    return fail(ErrorCode::InvalidInput, fmt::format("the interpreter's table of offsets is not of Python 3.{}", minor));
  bool is_sound = false;
  const Layout layout = fill(minor, words, is_sound);
  if (!is_sound) return fail(ErrorCode::InvalidInput, "the interpreter's table of offsets makes no sense");
  return layout;
}

}  // namespace

Result<Layout> find_layout(uint32_t minor, linux::MemoryReader& memory, uint64_t runtime) {
  if (minor < kOldestMinor || minor > kNewestMinor)
    return fail(ErrorCode::Unsupported, fmt::format("Python 3.{} is not known to this release", minor),
                fmt::format("its native frames are shown; 3.{} to 3.{} are known", kOldestMinor, kNewestMinor));
  if (minor >= kFirstWithDebugOffsets) return told_layout(minor, memory, runtime);
  if (minor == 12) return layout_of_3_12();
  return minor == 11 ? layout_of_3_11() : frames_are_objects(minor);
}

}  // namespace atys::capture::python

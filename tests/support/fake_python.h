// SPDX-License-Identifier: Apache-2.0
// The memory of a CPython that a test makes up, in the layout of any version.
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capture/python/interpreter.h"
#include "capture/python/layout.h"
#include "support/fake_memory.h"

namespace atys::test {

// What CPython since 3.13 says of itself: for each structure, how many words its part of the table has. Their first is its
// size.
struct PythonTable {
  explicit PythonTable(uint32_t minor) {
    const bool is_13 = minor == 13;
    size_t at = 3;
    const auto part = [&](size_t words) { return std::exchange(at, at + words); };
    runtime = part(3);
    interpreter = part(is_13 ? 13 : 16);
    thread = part(minor >= 15 ? 17 : 9);
    frame = part(is_13 ? 6 : 8);
    code = part(is_13 ? 10 : 11);
    object = part(2);
    part(is_13 ? 18 : minor == 14 ? 22 : 26);  // types, tuples, lists, sets, dictionaries, numbers
    bytes = part(3);
    text = part(4);
    // Where the later fields of a structure moved.
    modules = interpreter + (is_13 ? 5 : 6);
    lock_holder = interpreter + (is_13 ? 12 : 13);
    thread_id = thread + (minor >= 15 ? 8 : 5);
  }

  size_t runtime, interpreter, thread, frame, code, object, bytes, text;
  size_t modules, lock_holder, thread_id;
};

class FakePython {
 public:
  static constexpr uint64_t kRuntime = 0x10000;
  static constexpr uint64_t kCodeType = 0x5000;

  enum class Build { Default, FreeThreaded };

  explicit FakePython(uint32_t minor, Build build = Build::Default) {
    memory_.map(kRuntime, 0x1000);
    if (minor >= capture::python::kFirstWithDebugOffsets) put_table(minor, build);
    auto layout = capture::python::find_layout(minor, memory_, kRuntime);
    if (!layout.ok()) std::abort();
    interpreter_.layout = *layout;
    interpreter_.runtime = kRuntime;
    interpreter_.code_type = kCodeType;
  }

  FakeMemory& memory() { return memory_; }
  const capture::python::Layout& layout() const { return interpreter_.layout; }
  capture::python::Interpreter& interpreter() { return interpreter_; }

  // A word of the table that 3.13 and later have.
  void put_word(size_t word, uint64_t value) { memory_.put(kRuntime + 8 * word, value); }
  uint64_t word(size_t word) { return *memory_.value_at<uint64_t>(kRuntime + 8 * word); }

  // `kind` is the bytes of a character.
  uint64_t text(std::u32string_view characters, uint32_t kind, bool is_ascii) {
    const uint64_t at = take(layout().text_compact_data + characters.size() * kind);
    memory_.put<uint64_t>(at + layout().text_length, characters.size());
    put_state(at, kind, true, is_ascii);
    const uint64_t data = at + (is_ascii ? layout().text_ascii_data : layout().text_compact_data);
    for (size_t i = 0; i < characters.size(); ++i)
      memory_.put_bytes(data + i * kind, {reinterpret_cast<const char*>(&characters[i]), kind});
    return at;
  }
  uint64_t text(std::string_view ascii) { return text(std::u32string(ascii.begin(), ascii.end()), 1, true); }
  void put_state(uint64_t text, uint32_t kind, bool is_compact, bool is_ascii) {
    const uint32_t bits = kind | (is_compact ? 8 : 0) | (is_ascii ? 16 : 0);
    memory_.put<uint32_t>(text + layout().text_state, 1 | bits << layout().text_kind_bit);  // 1: it is interned
  }
  uint64_t bytes(std::string_view content) {
    const uint64_t at = take(layout().bytes_data + content.size() + 1);
    memory_.put<uint64_t>(at + layout().bytes_size, content.size());
    if (!content.empty()) memory_.put_bytes(at + layout().bytes_data, content);
    return at;
  }

  // The first unit of its bytecode is on `line`, and each further one on a line of its own.
  struct Code {
    std::string_view name;
    std::string_view file = "/srv/app.py";
    int32_t line = 10;
    int units = 8;
  };
  uint64_t code(const Code& code) {
    const uint64_t at = take(512);
    fill(at, code);
    return at;
  }
  // Puts another function where one is, as when the first was freed.
  void fill(uint64_t at, const Code& code) {
    memory_.put(at + layout().object_type, kCodeType);
    memory_.put(at + layout().code_filename, text(code.file));
    memory_.put(at + layout().code_name, text(code.name));
    memory_.put(at + layout().code_line_table, bytes(line_table(code.units)));
    memory_.put(at + layout().code_first_line, code.line);
  }
  uint64_t position(uint64_t code, int unit) const {
    if (layout().code_bytecode != 0) return code + layout().code_bytecode + 2 * static_cast<uint64_t>(unit);
    return static_cast<uint64_t>(layout().minor >= 10 ? unit : 2 * unit);
  }

  // A further interpreter, behind those that are there; the first is the main one.
  uint64_t add_interpreter() {
    const uint64_t at = take(0x20000);
    memory_.put(
        last_interpreter_ == 0 ? kRuntime + layout().interpreters_head : last_interpreter_ + layout().interpreter_next, at);
    if (last_interpreter_ == 0) interpreter_.first = at;
    last_interpreter_ = at;
    return at;
  }
  // A further thread of an interpreter, in front of those that are there.
  uint64_t add_thread(uint64_t interpreter, uint64_t pthread, uint64_t native_id = 0) {
    const uint64_t at = take(0x200);
    const uint64_t head = interpreter + layout().interpreter_threads;
    memory_.put(at + layout().thread_next, *memory_.value_at<uint64_t>(head));
    memory_.put(at + layout().thread_interpreter, interpreter);
    memory_.put(at + layout().thread_id, pthread);
    if (layout().native_thread_id != 0) memory_.put(at + layout().native_thread_id, native_id);
    if (layout().top.count == 2) memory_.put(at + layout().top.steps[0], take(32));
    memory_.put(head, at);
    return at;
  }
  // A call further in, which is now what the thread runs.
  uint64_t call(uint64_t thread, uint64_t code, uint64_t position, uint8_t marker = 0) {
    const uint64_t at = take(ATYS_FRAME_WINDOW);
    const uint64_t top = top_of(thread);
    memory_.put(at + layout().frame_next, *memory_.value_at<uint64_t>(top));
    memory_.put(at + layout().frame_code, code);
    memory_.put(at + layout().frame_position, position);
    if (layout().marker_bytes != 0) memory_.put(at + layout().frame_marker, marker);
    memory_.put(top, at);
    return at;
  }
  uint64_t take(size_t size) {
    const uint64_t at = next_;
    memory_.map(at, size);
    next_ += (size + 0x1000) & ~uint64_t{0xfff};
    return at;
  }

 private:
  uint64_t top_of(uint64_t thread) {
    const atys_path& top = layout().top;
    if (top.count == 2) thread = *memory_.value_at<uint64_t>(thread + top.steps[0]);
    return thread + top.steps[top.count - 1];
  }

  std::string line_table(int units) const {
    std::string table;
    for (int i = 0; i < units; ++i) {
      const char step = i == 0 ? 0 : 1;
      if (layout().minor >= 11) {
        table += static_cast<char>(0x80 | 13 << 3);
        table += static_cast<char>(step * 2);
      } else {
        table += static_cast<char>(layout().minor <= 9 && i == 0 ? 0 : 2);
        table += step;
      }
    }
    return table;
  }

  // Offsets are those of the real ones, but that a free-threaded object's head is longer.
  void put_table(uint32_t minor, Build build) {
    const PythonTable table(minor);
    const uint64_t head = build == Build::FreeThreaded ? 16 : 0;
    memory_.put_bytes(kRuntime, "xdebugpy");
    put_word(1, 0x030000f0 | uint64_t{minor} << 16);
    put_word(2, build == Build::FreeThreaded ? 1 : 0);
    put_words(table.runtime, {0x100, 0, 800});
    put_words(table.interpreter, {0x20000, 7200, 7264, 7344});
    put_word(table.modules, 7656);
    put_word(table.lock_holder, 7600);
    put_words(table.thread, {0x200, 0, 8, 16, 72});
    put_words(table.thread_id, {152, 160});
    put_words(table.frame, {88, 8, 0, 56, 80, minor == 13 ? 70U : 74U});
    put_words(table.code,
              {220 + head, 112 + head, 120 + head, 128 + head, 136 + head, 68 + head, 52, 96, 104, 200 + head, 208 + head});
    put_words(table.object, {16 + head, 8 + head});
    put_words(table.bytes, {33 + head, 16 + head, 32 + head});
    put_words(table.text, {64 + head, 32 + head, 16 + head, 40 + head});
  }
  void put_words(size_t first, const std::vector<uint64_t>& values) {
    for (size_t i = 0; i < values.size(); ++i) put_word(first + i, values[i]);
  }

  FakeMemory memory_;
  capture::python::Interpreter interpreter_;
  uint64_t last_interpreter_ = 0;
  uint64_t next_ = 0x100000;
};

}  // namespace atys::test

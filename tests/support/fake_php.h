// SPDX-License-Identifier: Apache-2.0
// The memory of a PHP process that a test makes up, in the layout of any version.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "capture/php/php_layout.h"
#include "capture/php/php_process.h"
#include "support/fake_memory.h"

namespace atys::test {

class FakePhp {
 public:
  explicit FakePhp(const capture::php::Layout& layout) : layout_(layout) { memory_.map(kGlobals, 1024); }

  static constexpr uint64_t kGlobals = 0x10000;

  FakeMemory& memory() { return memory_; }
  capture::php::PhpProcess process() const {
    return {.pid = 1, .layout = layout_, .globals = {kGlobals, kGlobals + 1024}, .live = {}, .code = {}};
  }

  uint64_t text(std::string_view bytes) {
    const uint64_t at = take(24 + bytes.size() + 1);
    memory_.put<uint32_t>(at, 1);
    memory_.put<uint32_t>(at + 4, 6);
    memory_.put<uint64_t>(at + 16, bytes.size());
    memory_.put_bytes(at + 24, bytes);
    return at;
  }
  uint64_t php_class(std::string_view name) {
    const uint64_t at = take(64);
    memory_.put<uint8_t>(at, 2);
    memory_.put(at + 8, text(name));
    return at;
  }
  // `name` and `owner` are addresses; each instruction is on its own line, from `line` on.
  struct Code {
    uint64_t name = 0;
    uint64_t owner = 0;
    uint64_t file = 0;
    uint32_t line = 0;
    uint32_t ops = 4;
    uint8_t type = 2;
  };
  uint64_t function(const Code& code) {
    const uint64_t at = take(232);
    fill(at, code);
    return at;
  }
  // Puts another function where one is, as when the first was freed.
  void fill(uint64_t at, const Code& code) {
    const uint64_t ops = take(code.ops * 32);
    for (uint32_t i = 0; i < code.ops; ++i) memory_.put<uint32_t>(ops + i * 32 + 24, code.line + i);
    memory_.put<uint8_t>(at, code.type);
    memory_.put(at + 8, code.name);
    memory_.put(at + 16, code.owner);
    memory_.put(at + layout_.op_count, code.ops);
    memory_.put(at + layout_.ops, ops);
    memory_.put(at + layout_.file, code.file);
    memory_.put(at + layout_.first_line, code.line);
  }
  uint64_t internal(std::string_view name, uint64_t owner = 0) {
    const uint64_t at = take(120);
    memory_.put<uint8_t>(at, 1);
    memory_.put(at + 8, name.empty() ? 0 : text(name));
    memory_.put(at + 16, owner);
    return at;
  }
  uint64_t op(uint64_t function, uint32_t index) { return *memory_.value_at<uint64_t>(function + layout_.ops) + index * 32; }

  // A call further in, which is now what runs.
  uint64_t call(uint64_t function, uint64_t position, uint32_t call_info = 0) {
    const uint64_t at = take(80);
    memory_.put(at, position);
    memory_.put(at + 24, function);
    memory_.put(at + 40, call_info);
    memory_.put(at + 48, *memory_.value_at<uint64_t>(kGlobals + 488));
    memory_.put(kGlobals + 488, at);
    return at;
  }

 private:
  uint64_t take(size_t size) {
    const uint64_t at = next_;
    memory_.map(at, size);
    next_ += (size + 0x1000) & ~uint64_t{0xfff};
    return at;
  }

  capture::php::Layout layout_;
  FakeMemory memory_;
  uint64_t next_ = 0x100000;
};

}  // namespace atys::test

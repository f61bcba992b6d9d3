// SPDX-License-Identifier: Apache-2.0
// A PHP function as it lies in the memory of a process. Its address may come to hold another one when the first is freed.
#pragma once

#include <optional>
#include <string>

#include "capture/php/php_layout.h"
#include "linux/memory_reader.h"

namespace atys::capture::php {

// What can be told without following a pointer: equal ones are one function.
struct FunctionHead {
  uint8_t type = 0;
  uint64_t name = 0;  // pointers
  uint64_t owner = 0;
  uint64_t ops = 0;
  uint64_t file = 0;
  uint32_t op_count = 0;
  uint32_t first_line = 0;

  bool operator==(const FunctionHead&) const = default;
  bool is_internal() const { return type == kInternalFunction; }
  // Of an instruction. Overflow of hostile numbers only makes a range that holds nothing sensible.
  bool has_op(uint64_t address) const {
    return address >= ops && address - ops < op_count * kOpBytes && (address - ops) % kOpBytes == 0;
  }
};

struct FunctionText {
  std::string name;  // "Class::method"; empty: of the engine's own
  std::string file;

  bool operator==(const FunctionText&) const = default;
};

// Nothing: there is no function at that address.
std::optional<FunctionHead> read_function(linux::MemoryReader& memory, const Layout& layout, uint64_t address);
std::optional<FunctionText> read_text(linux::MemoryReader& memory, const FunctionHead& function);

// A zend_string up to its first zero, at most kMostText bytes of it.
constexpr size_t kMostText = 4096;
std::optional<std::string> read_string(linux::MemoryReader& memory, uint64_t address);

}  // namespace atys::capture::php

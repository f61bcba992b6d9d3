// SPDX-License-Identifier: Apache-2.0
// Where the Zend engine of each PHP version keeps what runs, as its own headers say (php-dev of 7.4, 8.1, 8.2, 8.3, 8.4, the
// same on x86_64 and aarch64). Within a version they never change: extensions are compiled against them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "capture/walking/stack_reader.h"

namespace atys::capture::php {

// What differs between versions, all of it in zend_op_array: offsets in bytes.
struct Layout {
  std::string_view version;  // "8.2"
  uint32_t op_count = 0;
  uint32_t ops = 0;
  uint32_t file = 0;
  uint32_t first_line = 0;
};

// zend_function, of which zend_op_array is the kind that has code.
constexpr uint32_t kFunctionType = 0;
constexpr uint32_t kFunctionName = 8;
constexpr uint32_t kFunctionClass = 16;
constexpr size_t kFunctionBytes = 184;  // up to the end of the last field of any version
// zend_op
constexpr uint32_t kOpLine = 24;
constexpr uint64_t kOpBytes = 32;
// zend_class_entry, zend_string
constexpr uint32_t kClassName = 8;
constexpr uint32_t kStringLength = 16;
constexpr uint32_t kStringText = 24;

// Values of kFunctionType.
constexpr uint8_t kInternalFunction = 1;
constexpr uint8_t kUserFunction = 2;
constexpr uint8_t kEvalCode = 4;
// What a class begins with.
constexpr uint8_t kInternalClass = 1;
constexpr uint8_t kUserClass = 2;

// In a walked frame's marker: the function was called by C code, which runs the evaluator anew for it.
constexpr uint16_t kCalledFromC = 2;

// `version` is "8.2.35" or longer; nothing: one that we do not know.
std::optional<Layout> layout_of(std::string_view version);

// `executor_globals`: the address of that symbol. `live`: code that has the instruction it is at in a register.
atys_walker walker_for(const Layout& layout, uint64_t executor_globals, AddressRange live);

}  // namespace atys::capture::php

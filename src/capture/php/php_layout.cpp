// SPDX-License-Identifier: Apache-2.0
#include "capture/php/php_layout.h"

#include <array>

namespace atys::capture::php {

namespace {

constexpr std::array kLayouts = {
    Layout{.version = "7.4", .op_count = 60, .ops = 64, .file = 136, .first_line = 144},
    Layout{.version = "8.0", .op_count = 68, .ops = 72, .file = 144, .first_line = 152},
    Layout{.version = "8.1", .op_count = 68, .ops = 72, .file = 144, .first_line = 152},
    Layout{.version = "8.2", .op_count = 80, .ops = 88, .file = 152, .first_line = 160},
    Layout{.version = "8.3", .op_count = 76, .ops = 80, .file = 144, .first_line = 152},
    Layout{.version = "8.4", .op_count = 96, .ops = 104, .file = 168, .first_line = 176},
};

}  // namespace

std::optional<Layout> layout_of(std::string_view version) {
  for (const Layout& layout : kLayouts)
    if (version.starts_with(layout.version) &&
        (version.size() == layout.version.size() || version[layout.version.size()] == '.'))
      return layout;
  return std::nullopt;
}

namespace {

// Name, class, prototype and arguments; then what the name and the file are called, for the next request has like functions
// where the last one had its own. Copies of a function have the same cookie: bound closures, inherited methods.
atys_cookie cookie_of(const Layout& layout) {
  constexpr uint32_t kWords = 5;
  return {.at = kFunctionName,
          .words = kWords,
          .texts = {{.pointer = kFunctionName, .length_at = kStringLength, .text_at = kStringText},
                    {.pointer = layout.file, .length_at = kStringLength, .text_at = kStringText}},
          .short_kind = kInternalFunction};
}

}  // namespace

atys_walker walker_for(const Layout& layout, uint64_t executor_globals, AddressRange live) {
  // zend_executor_globals.current_execute_data, and zend_execute_data {opline, call, return_value, func, This,
  // prev_execute_data}: the upper half of This.u1 tells how it was called.
  constexpr uint32_t kCurrent = 488;
  return {.holder = executor_globals,
          .identity = ATYS_MAIN_THREAD,
          .top = {.count = 1, .steps = {kCurrent}},
          .window = 56,
          .next = 48,
          .code = 24,
          .position = 0,
          .position_bytes = 8,
          .marker = 42,
          .marker_bytes = 2,
          .live_start = live.start,
          .live_end = live.end,
          .is_stacked = 1,
          .is_fleeting = 0,
          .cookie = cookie_of(layout),
          // The function, its name, its file, its class, and what that is called.
          .pieces = {{.of = 0, .pointer = 0, .bytes = kFunctionBytes},
                     {.of = 0, .pointer = kFunctionName, .bytes = ATYS_PIECE_BYTES},
                     {.of = 0, .pointer = static_cast<uint16_t>(layout.file), .bytes = ATYS_PIECE_BYTES},
                     {.of = 0, .pointer = kFunctionClass, .bytes = kClassName + 8},
                     {.of = 3, .pointer = kClassName, .bytes = ATYS_PIECE_BYTES}}};
}

}  // namespace atys::capture::php

// SPDX-License-Identifier: Apache-2.0
// What a runtime wrote into its perf map as the name of a piece of code, taken apart.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace atys::capture {

struct JitName {
  std::string function;
  std::string file;             // empty: unknown
  int64_t start_line = 0;       // where the function begins; 0: unknown
  std::string_view frame_kind;  // "v8js"
};

}  // namespace atys::capture

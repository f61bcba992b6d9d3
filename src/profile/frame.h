// SPDX-License-Identifier: Apache-2.0
// The rows behind a stack: mappings, functions, lines, frames.
#pragma once

#include <cstdint>

#include "profile/hash_index.h"
#include "profile/ids.h"

namespace atys::profile {

// A file mapped into the target's memory.
struct Mapping {
  uint64_t start = 0;
  uint64_t limit = 0;  // one past the end
  uint64_t file_offset = 0;
  StringId filename{};
  StringId build_id{};  // GNU build id in hexadecimal, where there is one
  LabelSetId attributes{};
  bool has_functions = false;  // what the frames in this mapping have been resolved to
  bool has_filenames = false;
  bool has_line_numbers = false;
  bool has_inline_frames = false;

  bool operator==(const Mapping&) const = default;
};

struct Function {
  StringId name{};         // for people
  StringId system_name{};  // as the linker knows it
  StringId filename{};
  int64_t start_line = 0;

  bool operator==(const Function&) const = default;
};

struct Line {
  int64_t line = 0;  // 1-based; 0: unknown
  int64_t column = 0;
  FunctionId function{};
  uint32_t reserved = 0;  // no padding: lists of lines are compared as bytes

  bool operator==(const Line&) const = default;
};

enum class LineListId : uint32_t {};

// One place in the code that a stack passes through: an address with the functions inlined there, innermost first.
// No lines: the address was not resolved. No mapping and address 0: a frame known by name alone.
struct Frame {
  uint64_t address = 0;
  MappingId mapping{};
  LineListId lines{};
  StringId kind{};  // kernel, native, jit, cpython, jvm …: open-ended, set by whoever captured it; empty: unknown
  LabelSetId attributes{};
  bool is_folded = false;  // several addresses were folded into this one (identical code folding)

  bool operator==(const Frame&) const = default;
};

inline uint64_t hash(const Mapping& m) {
  return hash_mix(hash_mix(m.start ^ hash_seed(), m.limit) ^ m.file_offset,
                  (uint64_t{raw(m.filename)} << 32 | raw(m.build_id)) ^ (uint64_t{raw(m.attributes)} << 17));
}
inline uint64_t hash(const Function& f) {
  return hash_mix((uint64_t{raw(f.name)} << 32 | raw(f.system_name)) ^ hash_seed(),
                  (uint64_t{raw(f.filename)} << 32) ^ static_cast<uint64_t>(f.start_line));
}
inline uint64_t hash(const Frame& f) {
  return hash_mix(hash_mix(f.address ^ hash_seed(), uint64_t{raw(f.lines)} << 32 | raw(f.mapping)),
                  uint64_t{raw(f.kind)} << 32 | (raw(f.attributes) << 1) | (f.is_folded ? 1u : 0u));
}

}  // namespace atys::profile

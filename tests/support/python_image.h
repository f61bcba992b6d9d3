// SPDX-License-Identifier: Apache-2.0
// What was read of a CPython process, as a file: its version, where its structures are, and the memory. Recorded from real
// ones, replayed by tests, bent by a fuzzer.
#pragma once

#include <cstring>
#include <string>
#include <string_view>

#include "support/memory_image.h"

namespace atys::test {

struct PythonImage {
  uint32_t minor = 0;
  uint64_t runtime = 0;
  uint64_t code_type = 0;
  FakeMemory memory;
};

constexpr size_t kPythonImageHead = 1 + 2 * sizeof(uint64_t);

inline std::string write_python_image(uint8_t minor, uint64_t runtime, uint64_t code_type,
                                      const std::map<uint64_t, std::string>& pieces) {
  std::string text(1, static_cast<char>(minor));
  text.append(reinterpret_cast<const char*>(&runtime), sizeof runtime);
  text.append(reinterpret_cast<const char*>(&code_type), sizeof code_type);
  return text + image_of(pieces);
}

inline PythonImage read_python_image(std::string_view text) {
  PythonImage image;
  if (text.size() < kPythonImageHead) return image;
  image.minor = static_cast<uint8_t>(text[0]);
  std::memcpy(&image.runtime, text.data() + 1, sizeof image.runtime);
  std::memcpy(&image.code_type, text.data() + 1 + sizeof image.runtime, sizeof image.code_type);
  image.memory = memory_of(text.substr(kPythonImageHead));
  return image;
}

}  // namespace atys::test

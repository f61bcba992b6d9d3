// SPDX-License-Identifier: Apache-2.0
// Text files that a profile or a user names: opened so that nothing can block us or lead us astray.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace atys::verbs {

struct PlainFile {
  std::string text;
  std::string real_path;    // where the path led
  int64_t modified_ns = 0;  // Unix time
};

// A regular file of at most `most_bytes`; nothing where there is none. A fifo, a device or a socket is not waited for.
std::optional<PlainFile> open_plain_file(const std::string& path, size_t most_bytes);

inline std::optional<std::string> read_plain_file(const std::string& path, size_t most_bytes) {
  auto file = open_plain_file(path, most_bytes);
  if (!file) return std::nullopt;
  return std::move(file->text);
}

}  // namespace atys::verbs

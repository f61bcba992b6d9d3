// SPDX-License-Identifier: Apache-2.0
// Text files that a profile or a user names: opened so that nothing can block us or lead us astray.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace atys::verbs {

// Whether the file that lies there, behind all links, may be read.
using MaySee = std::function<bool(const std::string& real_path)>;

struct PlainFile {
  std::string text;
  std::string real_path;    // where the path led
  int64_t modified_ns = 0;  // Unix time
};

// A regular file of at most `most_bytes` that `may_see` allows; nothing where there is none. It is asked of the very file
// that is read, whatever happens to the path meanwhile. A fifo, a device or a socket is never opened.
std::optional<PlainFile> open_plain_file(const std::string& path, size_t most_bytes, const MaySee& may_see);

// One that the user's own settings name.
inline std::optional<std::string> read_plain_file(const std::string& path, size_t most_bytes) {
  auto file = open_plain_file(path, most_bytes, [](const std::string&) { return true; });
  if (!file) return std::nullopt;
  return std::move(file->text);
}

}  // namespace atys::verbs

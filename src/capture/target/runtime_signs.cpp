// SPDX-License-Identifier: Apache-2.0
#include "capture/target/runtime_signs.h"

#include <unistd.h>

#include <algorithm>

namespace atys::capture {

using symbolize::ElfFile;

std::string read_version(const ElfFile& file, const FileSigns& signs, std::string_view symbol) {
  constexpr size_t kLongest = 24;
  const auto found = signs.symbols.find(symbol);
  if (found == signs.symbols.end()) return {};
  std::string text = bytes_at(file, found->second.address, kLongest);
  text.resize(std::min(text.find('\0'), text.size()));
  const bool is_version = std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
  return is_version ? text : "";
}

std::string bytes_at(const ElfFile& file, uint64_t address, size_t count) {
  for (const ElfFile::Segment& segment : file.segments()) {
    if (address < segment.address || address - segment.address >= segment.file_size) continue;
    const uint64_t within = address - segment.address;
    std::string bytes(std::min<uint64_t>(count, segment.file_size - within), '\0');
    const uint64_t offset = segment.file_offset + within;
    if (file.fd() < 0 || offset > file.file_size()) return {};
    const ssize_t got = ::pread(file.fd(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    bytes.resize(got > 0 ? static_cast<size_t>(got) : 0);
    return bytes;
  }
  return {};
}

}  // namespace atys::capture

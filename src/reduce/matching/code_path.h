// SPDX-License-Identifier: Apache-2.0
// What a path says about a file of code, whatever the machine: its parts, which of them only name a version, and the package
// that it belongs to where a package manager put it there.
//
//   /home/a/.cargo/registry/src/registry.example-6f17d22bba15001f/serde-1.0.188/src/de/mod.rs
//   parts   …, serde-1.0.188, src, de, mod.rs        stems   …, serde, src, de, mod.rs        package   rust serde
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace atys::reduce::matching {

struct CodePath {
  // From the root on, without "." and "..", at most kMostParts: the last. They point into the text that was parsed, which
  // has to outlive them. The first part of an absolute path is "/".
  std::vector<std::string_view> parts;
  std::vector<std::string_view> stems;  // the same without versions, hashes and the like
  std::string package;                  // "node lodash", "python-lib"; empty: none that we know
  size_t in_package = 0;  // so many of the last parts tell the file in its package, the package's name with them

  bool is_empty() const { return parts.empty(); }
  std::string_view name() const { return parts.empty() ? std::string_view() : parts.back(); }
};

inline constexpr size_t kMostParts = 32;

CodePath parse_code_path(std::string_view path);

// "lodash" of lodash@4.17.21, "serde" of serde-1.0.188, "python" of python3.11, "libz.so" of libz.so.1.2.13, "#" of what is
// nothing but a version or a hash.
std::string_view without_version(std::string_view part);

// The parts as a path again, from `first` on; all of them: the path as it was, but for "." and "..".
std::string path_of_parts(const CodePath& path, size_t first, size_t end);

// The hash of the last 1, 2, … parts, the file name first.
std::vector<uint64_t> suffix_hashes(const std::vector<std::string_view>& parts);

}  // namespace atys::reduce::matching

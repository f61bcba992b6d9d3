// SPDX-License-Identifier: Apache-2.0
// Reading and writing by a descriptor in as many calls as it takes: the kernel may do less than it was asked to, and a
// signal is no error. Where something is wrong errno says what.
#pragma once

#include <sys/types.h>

#include <cerrno>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace atys {

// `write` does what write(2) does with the bytes that are left, of which it is told how many are not. False: it failed.
template <typename Write>
bool write_all_by(std::string_view bytes, const Write& write) {
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t put = write(bytes.substr(done), done);
    if (put < 0 && errno == EINTR) continue;
    if (put == 0) errno = EIO;  // nothing is wrong, and nothing happens
    if (put <= 0) return false;
    done += static_cast<size_t>(put);
  }
  return true;
}

bool write_all(int fd, std::string_view bytes);
bool write_all(int fd, std::span<const std::byte> bytes);
bool write_all_at(int fd, std::string_view bytes, off_t at);

// Fills `into`, or as much of it as there is: how much that was. Nothing: it failed.
std::optional<size_t> read_all(int fd, std::span<char> into);
std::optional<size_t> read_all(int fd, std::span<std::byte> into);
std::optional<size_t> read_all_at(int fd, std::span<char> into, off_t at);
std::optional<size_t> read_all_at(int fd, std::span<std::byte> into, off_t at);

// Everything that is left, also of what has no size to ask for. An error names it as `name`; more than `most` bytes are one.
Result<std::string> read_to_end(int fd, size_t most, const std::string& name);

}  // namespace atys

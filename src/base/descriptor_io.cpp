// SPDX-License-Identifier: Apache-2.0
#include "base/descriptor_io.h"

#include <unistd.h>

#include <algorithm>

namespace atys {

namespace {

constexpr size_t kPiece = 4096;

std::string_view as_view(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::span<char> as_chars(std::span<std::byte> bytes) { return {reinterpret_cast<char*>(bytes.data()), bytes.size()}; }

// `read` does what read(2) does with the part of the buffer that is left, of which it is told where it begins.
template <typename Read>
std::optional<size_t> read_all_by(std::span<char> into, const Read& read) {
  size_t done = 0;
  while (done < into.size()) {
    const ssize_t got = read(into.subspan(done), done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  return done;
}

}  // namespace

bool write_all(int fd, std::string_view bytes) {
  return write_all_by(bytes, [&](std::string_view left, size_t) { return ::write(fd, left.data(), left.size()); });
}

bool write_all(int fd, std::span<const std::byte> bytes) { return write_all(fd, as_view(bytes)); }

bool write_all_at(int fd, std::string_view bytes, off_t at) {
  return write_all_by(bytes, [&](std::string_view left, size_t done) {
    return ::pwrite(fd, left.data(), left.size(), at + static_cast<off_t>(done));
  });
}

std::optional<size_t> read_all(int fd, std::span<char> into) {
  return read_all_by(into, [&](std::span<char> left, size_t) { return ::read(fd, left.data(), left.size()); });
}

std::optional<size_t> read_all(int fd, std::span<std::byte> into) { return read_all(fd, as_chars(into)); }

std::optional<size_t> read_all_at(int fd, std::span<char> into, off_t at) {
  return read_all_by(into, [&](std::span<char> left, size_t done) {
    return ::pread(fd, left.data(), left.size(), at + static_cast<off_t>(done));
  });
}

std::optional<size_t> read_all_at(int fd, std::span<std::byte> into, off_t at) {
  return read_all_at(fd, as_chars(into), at);
}

Result<std::string> read_to_end(int fd, size_t most, const std::string& name) {
  std::string text;
  for (size_t used = 0;;) {
    text.resize(used + std::max(kPiece, used));
    const std::optional<size_t> got = read_all(fd, std::span(text).subspan(used));
    if (!got) return fail_errno("read " + name);
    used += *got;
    if (used > most) return fail(ErrorCode::ResourceExhausted, name + ": larger than " + std::to_string(most) + " bytes");
    if (used == text.size()) continue;
    text.resize(used);
    return text;
  }
}

}  // namespace atys

// SPDX-License-Identifier: Apache-2.0
// Where bytes come from: a file, a pipe, memory. A reader either streams (`read`) or asks for everything (`read_all`);
// both see the bytes from the start, also after a `peek`. Files are read, not mapped: a file that shrinks while we look
// must give an error, not a SIGBUS.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace atys {

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  const std::string& name() const { return name_; }

  // Up to `count` first bytes, fewer only if the source is shorter. Does not consume them.
  virtual Result<std::span<const std::byte>> peek(size_t count);

  // The next bytes into `buffer`; 0 at the end.
  Result<size_t> read(std::span<std::byte> buffer);

  // Everything that is left, in one piece that lives as long as the source. Fails past `limit` bytes.
  virtual Result<std::span<const std::byte>> read_all(size_t limit = kDefaultLimit);

  static constexpr size_t kDefaultLimit = size_t{16} << 30;

 protected:
  explicit ByteSource(std::string name) : name_(std::move(name)) {}
  virtual Result<size_t> fill(std::span<std::byte> buffer) = 0;  // 0 at the end
  virtual size_t size_hint() const { return 0; }

 private:
  std::string name_;
  Bytes held_;  // peeked, or everything after read_all
  size_t held_used_ = 0;
};

// A file, or standard input for "-".
Result<std::unique_ptr<ByteSource>> open_source(const std::string& path);

// Bytes that somebody else owns and that outlive the source.
std::unique_ptr<ByteSource> borrow_source(std::string name, std::span<const std::byte> bytes);

// Bytes that the source owns.
std::unique_ptr<ByteSource> own_source(std::string name, Bytes bytes);

inline std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline std::span<const std::byte> as_byte_span(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

}  // namespace atys

// SPDX-License-Identifier: Apache-2.0
// Reads the primitive values of a JFR chunk. Failure sticks: after the first bad value everything reads as 0 and loops end
// by asking `ok()`, so that a whole structure is read without a check per value; `error()` then names the place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace atys::format::jfr {

enum class Encoding : uint8_t { Plain, Compressed };  // of integers; a flag of the chunk

Error bad_data(size_t offset, const std::string& why);

// How a string is stored; the first byte of each.
enum class StringEncoding : uint8_t { Null = 0, Empty = 1, Constant = 2, Utf8 = 3, Chars = 4, Latin1 = 5 };

struct StringValue {
  bool is_constant = false;  // `key` of the pool of strings, instead of text
  uint64_t key = 0;
  std::string text;
};

class Cursor {
 public:
  // Reads `file` from `begin` to before `end`, which is at most the size of it.
  Cursor(std::string_view file, size_t begin, size_t end, Encoding encoding)
      : file_(file), at_(begin), end_(end), encoding_(encoding) {}

  bool ok() const { return why_ == nullptr; }
  size_t offset() const { return at_; }
  size_t left() const { return end_ - at_; }
  Error error() const { return bad_data(at_, why_ != nullptr ? why_ : "nothing is wrong"); }
  void fail_with(const char* why);

  uint8_t byte();
  // 16, 32 and 64 bits: as many bytes in a plain chunk, one to nine in a compressed one.
  int64_t short_value() { return static_cast<int16_t>(integer(2)); }
  uint16_t char_value() { return static_cast<uint16_t>(integer(2)); }
  int32_t int_value() { return static_cast<int32_t>(integer(4)); }
  int64_t long_value() { return static_cast<int64_t>(integer(8)); }
  // How many things follow; each of them takes a byte at least, so more than there are bytes is a lie.
  size_t count();
  // Fixed width, most significant byte first, whatever the encoding.
  uint64_t fixed(size_t bytes);
  void skip(size_t bytes);

  StringValue string();
  void skip_string();

 private:
  uint64_t integer(size_t plain_bytes);
  std::string_view bytes(size_t count);

  std::string_view file_;
  size_t at_;
  size_t end_;
  Encoding encoding_;
  const char* why_ = nullptr;
};

}  // namespace atys::format::jfr

// SPDX-License-Identifier: Apache-2.0
// The numbers and bytes that blocks and chunks are made of. A reader takes bytes from disk, which are hostile: it never
// reads past its end, and after the first thing wrong it gives zeros and stays failed, so that a caller may look once at the
// end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace atys::store {

class ByteWriter {
 public:
  void number(uint64_t value) {
    while (value >= 0x80) {
      bytes_.push_back(static_cast<char>(value | 0x80));
      value >>= 7;
    }
    bytes_.push_back(static_cast<char>(value));
  }
  // Small for numbers near zero, negative ones too.
  void signed_number(int64_t value) { number(static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63)); }
  void raw(std::string_view bytes) { bytes_.append(bytes); }
  void text(std::string_view text) {
    number(text.size());
    raw(text);
  }

  size_t size() const { return bytes_.size(); }
  const std::string& bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

 private:
  std::string bytes_;
};

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : at_(bytes.data()), end_(at_ + bytes.size()) {}

  uint64_t number() {
    if (at_ != end_ && static_cast<unsigned char>(*at_) < 0x80) return static_cast<unsigned char>(*at_++);
    return long_number();
  }
  int64_t signed_number() {
    const uint64_t value = number();
    return static_cast<int64_t>(value >> 1 ^ (~(value & 1) + 1));
  }
  // A number below `limit`; anything else is a failure, and 0.
  uint64_t below(uint64_t limit) {
    const uint64_t value = number();
    if (value < limit) return value;
    stop();
    return 0;
  }
  // How many things follow of which each takes at least a byte.
  size_t count() { return static_cast<size_t>(below(left() + 1)); }
  std::string_view raw(size_t size) {
    if (size > left()) {
      stop();
      return {};
    }
    const std::string_view bytes(at_, size);
    at_ += size;
    return bytes;
  }
  std::string_view text() { return raw(count()); }

  size_t left() const { return static_cast<size_t>(end_ - at_); }
  bool ok() const { return ok_; }
  void stop() {
    ok_ = false;
    at_ = end_;
  }

 private:
  uint64_t long_number() {
    uint64_t result = 0;
    for (unsigned shift = 0; shift < 64 && at_ != end_; shift += 7) {
      const auto byte = static_cast<unsigned char>(*at_++);
      result |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return result;
    }
    stop();
    return 0;
  }

  const char* at_;
  const char* end_;
  bool ok_ = true;
};

}  // namespace atys::store

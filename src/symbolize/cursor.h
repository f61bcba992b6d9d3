// SPDX-License-Identifier: Apache-2.0
// Reads numbers from bytes that may lie about their own size. After the first read past the end every value is 0 and ok() is
// false, so callers check once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace atys::symbolize {

class Cursor {
 public:
  explicit Cursor(std::span<const std::byte> bytes, size_t at = 0) : bytes_(bytes), at_(at), ok_(at <= bytes.size()) {}

  bool ok() const { return ok_; }
  bool at_end() const { return !ok_ || at_ == bytes_.size(); }
  size_t position() const { return at_; }
  size_t left() const { return ok_ ? bytes_.size() - at_ : 0; }

  // Both machines and all files that we read are little-endian.
  template <typename T>
  T fixed() {
    T value{};
    if (!take(sizeof(T))) return value;
    std::memcpy(&value, bytes_.data() + at_ - sizeof(T), sizeof(T));
    return value;
  }

  uint64_t uleb() { return leb(nullptr); }

  int64_t sleb() {
    unsigned bits = 0;
    uint64_t value = leb(&bits);
    if (bits < 64 && bits > 0 && (value >> (bits - 1) & 1) != 0) value |= ~uint64_t{0} << bits;
    return static_cast<int64_t>(value);
  }

  std::span<const std::byte> block(uint64_t size) {
    if (!take(size)) return {};
    return bytes_.subspan(at_ - size, size);
  }

 private:
  bool take(uint64_t size) {
    if (!ok_ || size > bytes_.size() - at_) return ok_ = false;
    at_ += size;
    return true;
  }

  // `bits`: how many bits the encoding had, for the sign.
  uint64_t leb(unsigned* bits) {
    uint64_t value = 0;
    for (unsigned shift = 0; take(1); shift += 7) {
      const auto byte = static_cast<uint64_t>(bytes_[at_ - 1]);
      if (shift < 64) value |= (byte & 0x7f) << shift;
      if ((byte & 0x80) != 0) continue;
      if (bits != nullptr) *bits = shift + 7;
      return value;
    }
    return 0;
  }

  std::span<const std::byte> bytes_;
  size_t at_ = 0;
  bool ok_ = true;
};

}  // namespace atys::symbolize

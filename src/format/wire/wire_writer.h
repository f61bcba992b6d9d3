// SPDX-License-Identifier: Apache-2.0
// Writes the protobuf wire format into a string. Fields with the default value are left out, as proto3 does.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace atys::format {

class WireWriter {
 public:
  explicit WireWriter(std::string& out) : out_(&out) {}

  void varint(uint32_t number, uint64_t value) {
    if (value != 0) always_varint(number, value);
  }
  void always_varint(uint32_t number, uint64_t value) {
    tag(number, 0);
    raw_varint(value);
  }
  void int64(uint32_t number, int64_t value) { varint(number, static_cast<uint64_t>(value)); }
  void boolean(uint32_t number, bool value) { varint(number, value ? 1 : 0); }
  void fixed64(uint32_t number, uint64_t value) {
    if (value == 0) return;
    tag(number, 1);
    raw_fixed64(value);
  }
  void bytes(uint32_t number, std::string_view value) {
    if (!value.empty()) always_bytes(number, value);
  }
  // A nested message or an element of a repeated field: empty ones count too.
  void always_bytes(uint32_t number, std::string_view value) {
    tag(number, 2);
    raw_varint(value.size());
    out_->append(value);
  }

  void raw_varint(uint64_t value) {
    char digits[10];
    size_t count = 0;
    while (value >= 0x80) {
      digits[count++] = static_cast<char>(value | 0x80);
      value >>= 7;
    }
    digits[count++] = static_cast<char>(value);
    out_->append(digits, count);
  }
  void raw_fixed64(uint64_t value) {
    char eight[8];
    std::memcpy(eight, &value, 8);
    out_->append(eight, 8);
  }

 private:
  void tag(uint32_t number, uint32_t type) { raw_varint(uint64_t{number} << 3 | type); }

  std::string* out_;
};

}  // namespace atys::format

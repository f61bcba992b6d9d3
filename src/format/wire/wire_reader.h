// SPDX-License-Identifier: Apache-2.0
// Reads the protobuf wire format field by field, in place, without building objects. Bytes are hostile: every length is
// checked, and the first thing wrong stops the reading and is kept with its offset. docs/decisions/0003 says why we do not
// use generated code here.
//
//   WireReader reader(bytes);
//   for (WireField field; reader.next(field);) switch (field.number) { … }
//   if (!reader.ok()) return reader.error();
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace atys::format {

// Whether the head of a file is plain text. A protobuf message is not: small lengths, numbers and tags are control
// characters.
bool is_plain_text(std::string_view head);

enum class WireType : uint8_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

struct WireField {
  uint32_t number = 0;
  WireType type = WireType::Varint;
  uint64_t value = 0;      // Varint, Fixed64, Fixed32
  std::string_view bytes;  // Bytes
  size_t offset = 0;       // of the field, from the start of the outermost message

  int64_t as_int64() const { return static_cast<int64_t>(value); }
};

class WireReader {
 public:
  // `base` is the offset of `bytes` in the outermost message, for error messages.
  explicit WireReader(std::string_view bytes, size_t base = 0)
      : begin_(bytes.data()), at_(bytes.data()), end_(bytes.data() + bytes.size()), base_(base) {}

  // A message nested in a field of another one.
  static WireReader nested(const WireField& field, const WireReader& outer) {
    return WireReader(field.bytes, outer.offset_of(field.bytes.data()));
  }

  // The next field, or false at the end and at the first error.
  bool next(WireField& field);

  // The next plain varint: for the content of packed fields.
  bool next_varint(uint64_t& value);
  bool next_fixed64(uint64_t& value);

  bool at_end() const { return at_ == end_; }
  bool ok() const { return problem_ == nullptr; }
  size_t offset() const { return offset_of(at_); }
  size_t offset_of(const char* place) const { return base_ + static_cast<size_t>(place - begin_); }
  Error error() const;

 private:
  bool read_varint(uint64_t& value);
  bool stop(const char* problem) {
    problem_ = problem;
    return false;
  }

  const char* begin_;
  const char* at_;
  const char* end_;
  size_t base_;
  const char* problem_ = nullptr;
};

inline bool WireReader::read_varint(uint64_t& value) {
  if (at_ != end_ && static_cast<unsigned char>(*at_) < 0x80) {
    value = static_cast<unsigned char>(*at_++);
    return true;
  }
  uint64_t result = 0;
  const char* at = at_;
  for (unsigned shift = 0; shift < 70; shift += 7) {
    if (at == end_) return stop("ends in the middle of a number");
    const auto byte = static_cast<unsigned char>(*at++);
    if (shift < 64) result |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) {
      at_ = at;
      value = result;
      return true;
    }
  }
  return stop("number of more than ten bytes");
}

inline bool WireReader::next_varint(uint64_t& value) {
  // Two bytes are the common case of ids in large profiles.
  if (end_ - at_ >= 2) {
    const auto first = static_cast<unsigned char>(at_[0]);
    const auto second = static_cast<unsigned char>(at_[1]);
    if (first < 0x80) {
      value = first;
      at_ += 1;
      return true;
    }
    if (second < 0x80) {
      value = (first & 0x7fu) | static_cast<uint64_t>(second) << 7;
      at_ += 2;
      return true;
    }
  }
  return at_ != end_ && ok() && read_varint(value);
}

inline bool WireReader::next_fixed64(uint64_t& value) {
  if (at_ == end_ || !ok()) return false;
  if (end_ - at_ < 8) return stop("ends in the middle of an eight-byte number");
  std::memcpy(&value, at_, 8);  // little-endian, as both our architectures are
  at_ += 8;
  return true;
}

inline bool WireReader::next(WireField& field) {
  if (at_ == end_ || !ok()) return false;
  field.offset = offset();
  uint64_t tag = 0;
  if (!read_varint(tag)) return false;
  if (tag >> 3 == 0 || tag >> 3 > 0x1fffffff) return stop("field number out of range");
  field.number = static_cast<uint32_t>(tag >> 3);
  field.type = static_cast<WireType>(tag & 7);
  switch (field.type) {
    case WireType::Varint: return read_varint(field.value);
    case WireType::Fixed64: return at_ == end_ ? stop("ends in the middle of a field") : next_fixed64(field.value);
    case WireType::Fixed32: {
      if (end_ - at_ < 4) return stop("ends in the middle of a four-byte number");
      uint32_t value = 0;
      std::memcpy(&value, at_, 4);
      at_ += 4;
      field.value = value;
      return true;
    }
    case WireType::Bytes: {
      uint64_t length = 0;
      if (!read_varint(length)) return false;
      if (length > static_cast<uint64_t>(end_ - at_)) return stop("field is longer than what is left");
      field.bytes = {at_, static_cast<size_t>(length)};
      at_ += length;
      return true;
    }
  }
  return stop("unknown wire type");
}

}  // namespace atys::format

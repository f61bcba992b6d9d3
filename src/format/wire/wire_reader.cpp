// SPDX-License-Identifier: Apache-2.0
#include "format/wire/wire_reader.h"

#include <algorithm>
#include <cstring>

namespace atys::format {

bool is_plain_text(std::string_view head) {
  return std::ranges::none_of(head, [](unsigned char c) { return c < ' ' && c != '\t' && c != '\r' && c != '\n'; });
}

bool WireReader::next_fixed64(uint64_t& value) {
  if (at_ == end_ || !ok()) return false;
  if (end_ - at_ < 8) return stop("ends in the middle of an eight-byte number");
  std::memcpy(&value, at_, 8);  // little-endian, as both our architectures are
  at_ += 8;
  return true;
}

bool WireReader::next(WireField& field) {
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

Error WireReader::error() const {
  return fail(ErrorCode::InvalidInput, "bad protobuf data at offset " + std::to_string(offset()) + ": " + problem_,
              "the file is damaged or cut short; get it again");
}

}  // namespace atys::format

// SPDX-License-Identifier: Apache-2.0
#include "format/jfr/cursor.h"

namespace atys::format::jfr {

namespace {

void append_utf8(std::string& text, uint32_t code) {
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xc0 | (code >> 6));
    text += static_cast<char>(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    text += static_cast<char>(0xe0 | (code >> 12));
    text += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
    text += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    text += static_cast<char>(0xf0 | (code >> 18));
    text += static_cast<char>(0x80 | ((code >> 12) & 0x3f));
    text += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
    text += static_cast<char>(0x80 | (code & 0x3f));
  }
}

// Puts the two halves of characters beyond 16 bits together.
class Utf16Text {
 public:
  void add(uint16_t unit) {
    if (unit >= 0xdc00 && unit < 0xe000 && high_ != 0) {
      append_utf8(text_, 0x10000 + ((high_ - 0xd800u) << 10) + (unit - 0xdc00u));
      high_ = 0;
      return;
    }
    flush();
    if (unit >= 0xd800 && unit < 0xdc00) {
      high_ = unit;
    } else {
      append_utf8(text_, unit);
    }
  }

  std::string take() {
    flush();
    return std::move(text_);
  }

 private:
  void flush() {
    if (high_ != 0) append_utf8(text_, high_);
    high_ = 0;
  }

  std::string text_;
  uint32_t high_ = 0;
};

}  // namespace

Error bad_data(size_t offset, const std::string& why) {
  return fail(ErrorCode::InvalidInput, "bad JFR data at offset " + std::to_string(offset) + ": " + why,
              "record the profile again");
}

void Cursor::fail_with(const char* why) {
  if (why_ == nullptr) why_ = why;
}

uint8_t Cursor::byte() {
  if (!ok() || at_ >= end_) {
    fail_with("a value ends early");
    return 0;
  }
  return static_cast<uint8_t>(file_[at_++]);
}

uint64_t Cursor::fixed(size_t bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes; ++i) value = value << 8 | byte();
  return value;
}

// Seven bits a byte, the least significant first; the ninth byte has eight.
uint64_t Cursor::integer(size_t plain_bytes) {
  if (encoding_ == Encoding::Plain) return fixed(plain_bytes);
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 56; shift += 7) {
    const uint8_t next = byte();
    value |= uint64_t{next & 0x7fu} << shift;
    if ((next & 0x80) == 0) return value;
  }
  return value | uint64_t{byte()} << 56;
}

size_t Cursor::count() {
  const int32_t number = int_value();
  if (ok() && (number < 0 || static_cast<size_t>(number) > left())) fail_with("a count is larger than what follows");
  return ok() ? static_cast<size_t>(number) : 0;
}

void Cursor::skip(size_t bytes) {
  if (!ok() || bytes > left()) {
    fail_with("a value ends early");
    return;
  }
  at_ += bytes;
}

std::string_view Cursor::bytes(size_t count) {
  const size_t begin = at_;
  skip(count);
  return ok() ? file_.substr(begin, count) : std::string_view{};
}

StringValue Cursor::string() {
  StringValue value;
  switch (static_cast<StringEncoding>(byte())) {
    case StringEncoding::Null:
    case StringEncoding::Empty: break;
    case StringEncoding::Constant:
      value.is_constant = true;
      value.key = static_cast<uint64_t>(long_value());
      break;
    case StringEncoding::Utf8: value.text = bytes(count()); break;
    case StringEncoding::Latin1:
      for (const char c : bytes(count())) append_utf8(value.text, static_cast<uint8_t>(c));
      break;
    case StringEncoding::Chars: {
      Utf16Text text;
      const size_t units = count();
      for (size_t i = 0; i < units && ok(); ++i) text.add(char_value());
      value.text = text.take();
      break;
    }
    default: fail_with("a string of an unknown encoding");
  }
  return value;
}

void Cursor::skip_string() {
  switch (static_cast<StringEncoding>(byte())) {
    case StringEncoding::Null:
    case StringEncoding::Empty: break;
    case StringEncoding::Constant: long_value(); break;
    case StringEncoding::Utf8:
    case StringEncoding::Latin1: skip(count()); break;
    case StringEncoding::Chars: {
      const size_t units = count();
      for (size_t i = 0; i < units && ok(); ++i) char_value();
      break;
    }
    default: fail_with("a string of an unknown encoding");
  }
}

}  // namespace atys::format::jfr

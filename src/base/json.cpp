// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"

#include <cmath>

#include "base/utf8.h"

namespace atys {

namespace {

constexpr size_t kNowhere = std::string_view::npos;

// Where nesting first passes `max_depth`; kNowhere: it does not. Looks before the parser does, because nlohmann's own
// callback, which could, takes time quadratic in the length of an array of objects.
size_t offset_of_too_deep(std::string_view text, size_t max_depth) {
  size_t depth = 0;
  bool is_in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_in_string) {
      if (c == '\\') ++i;
      if (c == '"') is_in_string = false;
    } else if (c == '"') {
      is_in_string = true;
    } else if (c == '{' || c == '[') {
      if (++depth > max_depth) return i;
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return kNowhere;
}

// Takes every event and keeps where the parser gave up: its other exceptions do not say.
struct ErrorLocator : nlohmann::json_sax<Json> {
  size_t offset = 0;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(size_t) override { return true; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(size_t position, const std::string&, const Json::exception&) override {
    offset = position == 0 ? 0 : position - 1;
    return false;
  }
};

Error bad_json(size_t offset, const std::string& why) {
  return fail(ErrorCode::InvalidInput, "bad JSON at offset " + std::to_string(offset) + why);
}

}  // namespace

Result<Json> parse_json(std::string_view text, size_t max_depth) {
  if (const size_t offset = offset_of_too_deep(text, max_depth); offset != kNowhere) {
    return bad_json(offset, ": nested deeper than " + std::to_string(max_depth) + " levels");
  }
  try {
    return Json::parse(text.begin(), text.end());
  } catch (const Json::parse_error& error) {
    return bad_json(error.byte == 0 ? 0 : error.byte - 1, "");
  } catch (const Json::exception&) {
    ErrorLocator locator;
    Json::sax_parse(text.begin(), text.end(), &locator);
    return bad_json(locator.offset, ": a number that is too large");
  }
}

JsonWriter& JsonWriter::open(char bracket) {
  separate();
  text_.push_back(bracket);
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  text_.push_back(bracket);
  needs_comma_ = true;
  return *this;
}

void JsonWriter::separate() {
  if (needs_comma_) text_.push_back(',');
  needs_comma_ = true;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  append_quoted(name);
  text_.push_back(':');
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  separate();
  append_quoted(text);
  return *this;
}

JsonWriter& JsonWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  char digits[40];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  return literal({digits, static_cast<size_t>(end - digits)});
}

JsonWriter& JsonWriter::literal(std::string_view json) {
  separate();
  text_.append(json);
  return *this;
}

namespace {

void append_unit(std::string& out, uint32_t unit) {
  static constexpr char kHex[] = "0123456789abcdef";
  out.append("\\u");
  for (int shift = 12; shift >= 0; shift -= 4) out.push_back(kHex[unit >> shift & 15]);
}

// The same character to every reader of JSON, and visible to who reads the text.
void append_escaped(std::string& out, uint32_t code_point) {
  if (code_point < 0x10000) return append_unit(out, code_point);
  append_unit(out, 0xd800 + ((code_point - 0x10000) >> 10));
  append_unit(out, 0xdc00 + ((code_point - 0x10000) & 0x3ff));
}

}  // namespace

void JsonWriter::append_quoted(std::string_view raw_text) {
  const std::string text = to_utf8(raw_text);
  text_.push_back('"');
  for (size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const CodePoint next = byte < 0x80 ? CodePoint{byte, 1} : first_code_point(std::string_view(text).substr(i));
    const bool is_control = next.value < 0x20 || (next.value >= 0x7f && next.value < 0xa0);
    if (byte == '"' || byte == '\\') {
      text_.push_back('\\');
      text_.push_back(text[i]);
    } else if (is_control || (byte >= 0x80 && is_unseen(next.value))) {
      append_escaped(text_, next.value);
    } else {
      text_.append(text, i, next.length);
    }
    i += next.length;
  }
  text_.push_back('"');
}

}  // namespace atys

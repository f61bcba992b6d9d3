// SPDX-License-Identifier: Apache-2.0
// JSON in: nlohmann's parser behind a Result, with bounded nesting and the offset of what is wrong. JSON out: a small writer
// that streams, because profiles are too large for a tree of values.
#pragma once

#include <charconv>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace atys {

using Json = nlohmann::json;

// `max_depth` bounds nesting; errors name the offset.
Result<Json> parse_json(std::string_view text, size_t max_depth = 128);

// Writes JSON to a string. Commas and quoting are its business; balance is the caller's.
class JsonWriter {
 public:
  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  JsonWriter& key(std::string_view name);
  JsonWriter& value(std::string_view text);  // any bytes: see utf8.h
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(const std::string& text) { return value(std::string_view(text)); }
  JsonWriter& value(bool truth) { return literal(truth ? "true" : "false"); }
  JsonWriter& value(double number);  // not finite: null
  JsonWriter& null() { return literal("null"); }
  template <std::integral Number>
  JsonWriter& value(Number number) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    return literal({digits, static_cast<size_t>(end - digits)});
  }
  JsonWriter& literal(std::string_view json);  // already JSON
  template <typename Value>
  JsonWriter& field(std::string_view name, const Value& content) {
    key(name);
    return value(content);
  }

  const std::string& text() const { return text_; }
  std::string take() { return std::move(text_); }

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  void separate();
  void append_quoted(std::string_view text);

  std::string text_;
  bool needs_comma_ = false;
};

}  // namespace atys

// SPDX-License-Identifier: Apache-2.0
// OpenTelemetry's value of an attribute: a scalar, an array, or a list of key-value pairs, nested at will. Text is bytes as
// a profile holds them; the codecs make UTF-8 of it on the way out and undo that on the way in.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace atys::format::otlp {

struct AnyValue;
struct KeyValue;

struct ArrayValue {
  std::vector<AnyValue> values;
};

struct KeyValueList {
  std::vector<KeyValue> values;
};

struct BytesValue {
  std::string bytes;
};

// A string of the dictionary, named by its index.
struct StringReference {
  int32_t index = 0;
};

struct AnyValue {
  std::variant<std::monostate, std::string, bool, int64_t, double, ArrayValue, KeyValueList, BytesValue, StringReference>
      value;

  template <typename T>
  const T* get() const {
    return std::get_if<T>(&value);
  }
};

struct KeyValue {
  std::string key;
  AnyValue value;
  int32_t key_strindex = 0;  // stands for `key` if that is empty
};

// How deep messages may nest, all in all; keeps hostile input off the end of our own stack.
inline constexpr size_t kMaxMessageDepth = 128;
// How deep arrays and lists in one label may nest. Writing can add a few levels of our own, which must still be readable.
inline constexpr size_t kMaxValueDepth = 32;

inline AnyValue any(std::string_view text) { return {std::string(text)}; }
inline AnyValue any(int64_t number) { return {number}; }

// The value of `key` in a list of pairs; null if there is none.
const AnyValue* find(const KeyValueList& list, std::string_view key);

}  // namespace atys::format::otlp

// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cmath>

#include "base/hex.h"
#include "base/json.h"
#include "format/otlp/byte_text.h"
#include "format/otlp/json_codec.h"

namespace atys::format::otlp {

namespace {

class Encoder {
 public:
  Dialect dialect() const { return {}; }

  template <typename Message>
  void write(const Message& message) {
    json_.begin_object();
    describe(*this, message);
    json_.end_object();
  }
  std::string take() { return json_.take(); }

  template <typename Number>
  void number(uint32_t, const char* name, Number value) {
    if (value == 0) return;
    json_.key(name);
    put(value);
  }
  void fixed64(uint32_t number_of_field, const char* name, uint64_t value) { number(number_of_field, name, value); }
  void text(uint32_t, const char* name, const std::string& value) {
    if (!value.empty()) json_.field(name, value);
  }
  void bytes(uint32_t, const char* name, const std::string& value) {
    if (!value.empty()) json_.field(name, to_base64(value));
  }
  void id(uint32_t, const char* name, const std::string& value) {
    if (!value.empty()) json_.field(name, to_hex(value));
  }
  template <typename Message>
  void message(uint32_t, const char* name, const Message& value) {
    json_.key(name);
    write(value);
  }
  template <typename Message>
  void messages(uint32_t, const char* name, const std::vector<Message>& values) {
    list(name, values, [&](const Message& value) { write(value); });
  }
  void texts(uint32_t, const char* name, const std::vector<std::string>& values) {
    list(name, values, [&](const std::string& value) { json_.value(value); });
  }
  template <typename Number>
  void numbers(uint32_t, const char* name, const std::vector<Number>& values) {
    list(name, values, [&](Number value) { put(value); });
  }
  void fixed64s(uint32_t, const char* name, const std::vector<uint64_t>& values) {
    list(name, values, [&](uint64_t value) { put(value); });
  }
  template <typename Variant, typename T>
  void one_of(uint32_t, const char* name, const Variant& member, std::in_place_type_t<T>) {
    const T* value = std::get_if<T>(&member);
    if (value == nullptr) return;
    json_.key(name);
    put(*value);
  }

 private:
  template <typename Item, typename Put>
  void list(const char* name, const std::vector<Item>& values, const Put& put_item) {
    if (values.empty()) return;
    json_.key(name).begin_array();
    for (const Item& value : values) put_item(value);
    json_.end_array();
  }

  void put(int32_t value) { json_.value(value); }
  void put(uint32_t value) { json_.value(value); }
  // JavaScript keeps 53 bits of a number.
  void put(int64_t value) { json_.value(std::to_string(value)); }
  void put(uint64_t value) { json_.value(std::to_string(value)); }
  void put(bool value) { json_.value(value); }
  void put(const std::string& value) { json_.value(value); }
  void put(const BytesValue& value) { json_.value(to_base64(value.bytes)); }
  void put(const StringReference& value) { put(value.index); }
  void put(double value) {
    if (std::isnan(value)) return static_cast<void>(json_.value("NaN"));
    if (std::isinf(value)) return static_cast<void>(json_.value(value > 0 ? "Infinity" : "-Infinity"));
    char digits[40];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    std::string number(digits, end);
    // Without a point -0 would come back as the integer 0.
    if (number.find_first_of(".e") == std::string::npos) number += ".0";
    json_.literal(number);
  }
  template <typename Message>
  void put(const Message& value) {
    write(value);
  }

  JsonWriter json_;
};

}  // namespace

std::string encode_json(const message::ProfilesData& data) {
  Encoder encoder;
  encoder.write(data);
  return encoder.take();
}

std::string encode_json(const AnyValue& value) {
  Encoder encoder;
  encoder.write(value);
  return encoder.take();
}

}  // namespace atys::format::otlp

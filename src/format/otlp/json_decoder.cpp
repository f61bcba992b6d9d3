// SPDX-License-Identifier: Apache-2.0
// Unknown names are skipped, null is the default value, numbers may be strings and strings numbers, as protobuf's JSON asks
// for. The parser forgets offsets, so an error names the path to what is wrong.
#include <charconv>
#include <cmath>

#include "base/hex.h"
#include "base/json.h"
#include "base/utf8.h"
#include "format/otlp/byte_text.h"
#include "format/otlp/json_codec.h"

namespace atys::format::otlp {

namespace {

// In JSON an array is a level of its own.
constexpr size_t kMaxJsonDepth = kMaxMessageDepth * 3 / 2;

class Decoder {
 public:
  Dialect dialect() const { return {}; }

  template <typename Message>
  void read(const Json& json, Message& message) {
    if (!json.is_object()) return stop("is not an object");
    if (++depth_ > kMaxMessageDepth) return stop("is nested too deeply");
    const Json* outer = std::exchange(object_, &json);
    describe(*this, message);
    object_ = outer;
    --depth_;
  }

  const std::optional<Error>& error() const { return error_; }

  template <typename Number>
  void number(uint32_t, const char* name, Number& member) {
    with(name, [&](const Json& json) { take(json, member); });
  }
  void fixed64(uint32_t field, const char* name, uint64_t& member) { number(field, name, member); }
  void text(uint32_t, const char* name, std::string& member) {
    with(name, [&](const Json& json) { take(json, member); });
  }
  void bytes(uint32_t, const char* name, std::string& member) {
    with(name, [&](const Json& json) { take_bytes(json, member); });
  }
  void id(uint32_t, const char* name, std::string& member) {
    with(name, [&](const Json& json) { take_id(json, member); });
  }
  template <typename Message>
  void message(uint32_t, const char* name, Message& member) {
    with(name, [&](const Json& json) { read(json, member); });
  }
  template <typename Item>
  void messages(uint32_t, const char* name, std::vector<Item>& member) {
    each(name, member, [&](const Json& json, Item& item) { read(json, item); });
  }
  void texts(uint32_t, const char* name, std::vector<std::string>& member) {
    each(name, member, [&](const Json& json, std::string& item) { take(json, item); });
  }
  template <typename Item>
  void numbers(uint32_t, const char* name, std::vector<Item>& member) {
    each(name, member, [&](const Json& json, Item& item) { take(json, item); });
  }
  void fixed64s(uint32_t field, const char* name, std::vector<uint64_t>& member) { numbers(field, name, member); }
  template <typename Variant, typename T>
  void one_of(uint32_t, const char* name, Variant& member, std::in_place_type_t<T>) {
    with(name, [&](const Json& json) { take(json, member.template emplace<T>()); });
  }

 private:
  void stop(const std::string& why) {
    if (error_) return;
    error_ = fail(ErrorCode::InvalidInput, "bad OTLP/JSON data at " + (path_.empty() ? "offset 0" : path_) + ": it " + why,
                  "the file is damaged or its writer has a bug; get it again");
  }

  template <typename Use>
  void with(const char* name, const Use& use) {
    if (error_) return;
    const auto found = object_->find(name);
    if (found == object_->end() || found->is_null()) return;
    const size_t length = path_.size();
    path_ += (length == 0 ? "" : ".") + std::string(name);
    use(*found);
    path_.resize(length);
  }

  template <typename Item, typename Use>
  void each(const char* name, std::vector<Item>& items, const Use& use) {
    with(name, [&](const Json& json) {
      if (!json.is_array()) return stop("is not an array");
      const size_t length = path_.size();
      for (size_t i = 0; i < json.size() && !error_; ++i) {
        path_ += "[" + std::to_string(i) + "]";
        use(json[i], items.emplace_back());
        path_.resize(length);
      }
    });
  }

  template <std::integral Number>
  void take(const Json& json, Number& value) {
    if (json.is_number_unsigned()) {
      value = static_cast<Number>(json.get<uint64_t>());
      if (value < 0 || static_cast<uint64_t>(value) != json.get<uint64_t>()) stop("is out of range");
    } else if (json.is_number_integer()) {
      value = static_cast<Number>(json.get<int64_t>());
      if (std::is_unsigned_v<Number> || static_cast<int64_t>(value) != json.get<int64_t>()) stop("is out of range");
    } else if (json.is_string()) {
      const auto& digits = json.get_ref<const std::string&>();
      const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), value);
      if (end.ec != std::errc{} || end.ptr != digits.data() + digits.size()) stop("is not a number in range");
    } else {
      stop("is not a whole number");
    }
  }
  void take(const Json& json, bool& value) {
    if (!json.is_boolean()) return stop("is neither true nor false");
    value = json.get<bool>();
  }
  void take(const Json& json, double& value) {
    if (json.is_number()) {
      value = json.get<double>();
    } else if (json == "NaN") {
      value = std::numeric_limits<double>::quiet_NaN();
    } else if (json == "Infinity" || json == "-Infinity") {
      value = json == "Infinity" ? HUGE_VAL : -HUGE_VAL;
    } else {
      stop("is not a number");
    }
  }
  void take(const Json& json, std::string& value) {
    if (!json.is_string()) return stop("is not a string");
    value = from_utf8(json.get_ref<const std::string&>());
  }
  void take(const Json& json, BytesValue& value) { take_bytes(json, value.bytes); }
  void take(const Json& json, StringReference& value) { take(json, value.index); }
  template <typename Message>
  void take(const Json& json, Message& value) {
    read(json, value);
  }

  void take_bytes(const Json& json, std::string& value) {
    if (!json.is_string()) return stop("is not a string");
    auto bytes = from_base64(json.get_ref<const std::string&>());
    if (!bytes) return stop("is not base64");
    value = *std::move(bytes);
  }
  // Plain protobuf libraries write base64 here; the lengths of the three ids leave no doubt.
  void take_id(const Json& json, std::string& value) {
    if (!json.is_string()) return stop("is not a string");
    const auto& text = json.get_ref<const std::string&>();
    auto bytes = from_hex(text);
    if (!bytes) bytes = from_base64(text);
    if (!bytes) return stop("is neither hexadecimal nor base64");
    value = *std::move(bytes);
  }

  const Json* object_ = nullptr;
  std::string path_;
  size_t depth_ = 0;
  std::optional<Error> error_;
};

Result<message::ProfilesData> decode_one(const Json& json) {
  message::ProfilesData data;
  Decoder decoder;
  decoder.read(json, data);
  if (decoder.error()) return *decoder.error();
  return data;
}

}  // namespace

Result<std::vector<message::ProfilesData>> decode_json(std::string_view text) {
  std::vector<message::ProfilesData> all;
  const auto whole = parse_json(text, kMaxJsonDepth);
  if (whole.ok()) {
    all.push_back(TRY(decode_one(*whole)));
    return all;
  }
  const size_t first_end = text.find('\n');
  if (first_end == std::string_view::npos || !parse_json(text.substr(0, first_end), kMaxJsonDepth).ok())
    return whole.error();
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    const auto context = "in the line at offset " + std::to_string(at);
    at = end + 1;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const auto json = parse_json(line, kMaxJsonDepth);
    if (!json.ok()) return in_context(context, json.error());
    auto data = decode_one(*json);
    if (!data.ok()) return in_context(context, data.error());
    all.push_back(data.take());
  }
  return all;
}

std::optional<AnyValue> decode_json_value(std::string_view text) {
  const auto json = parse_json(text, kMaxJsonDepth);
  if (!json.ok()) return std::nullopt;
  AnyValue value;
  Decoder decoder;
  decoder.read(*json, value);
  if (decoder.error()) return std::nullopt;
  return value;
}

}  // namespace atys::format::otlp

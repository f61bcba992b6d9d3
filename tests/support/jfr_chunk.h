// SPDX-License-Identifier: Apache-2.0
// Writes tiny recordings for tests: a chunk with the classes, constants and events that a test wants.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "format/jfr/cursor.h"

namespace atys::test {

using format::jfr::Encoding;

// Values of a structure, one after the other.
class Fields {
 public:
  explicit Fields(Encoding encoding) : encoding_(encoding) {}

  Fields& number(uint64_t value, size_t plain_bytes) {
    if (encoding_ == Encoding::Plain) return fixed(value, plain_bytes);
    for (int i = 0; i < 8 && value > 0x7f; ++i, value >>= 7) bytes += static_cast<char>(0x80 | (value & 0x7f));
    bytes += static_cast<char>(value);
    return *this;
  }
  Fields& fixed(uint64_t value, size_t count) {
    for (size_t i = count; i-- > 0;) bytes += static_cast<char>(value >> (8 * i));
    return *this;
  }
  Fields& byte(uint8_t value) { return fixed(value, 1); }
  Fields& i32(int32_t value) { return number(static_cast<uint32_t>(value), 4); }
  Fields& i64(int64_t value) { return number(static_cast<uint64_t>(value), 8); }
  Fields& text(std::string_view value) {
    byte(static_cast<uint8_t>(format::jfr::StringEncoding::Utf8)).i32(static_cast<int32_t>(value.size()));
    bytes += value;
    return *this;
  }
  Fields& raw(const Fields& other) {
    bytes += other.bytes;
    return *this;
  }

  std::string bytes;

 private:
  Encoding encoding_;
};

struct TestField {
  std::string name;
  int type;
  char form = 'v';  // v: value, c: constant, a: array of values
  std::string time_unit = {};
};

struct TestClass {
  int id;
  std::string name;
  std::vector<TestField> fields = {};
};

class TestChunk {
 public:
  explicit TestChunk(std::vector<TestClass> classes, Encoding encoding = Encoding::Compressed)
      : classes_(std::move(classes)), encoding_(encoding) {}

  Fields fields() const { return Fields(encoding_); }
  TestChunk& constant(int type, int64_t key, const Fields& value) {
    pools_[type].push_back(fields().i64(key).raw(value));
    return *this;
  }
  TestChunk& event(int type, const Fields& values) {
    events_ += whole(type, values);
    return *this;
  }
  // The constants added so far become a checkpoint of their own, before the events that follow.
  TestChunk& checkpoint() {
    Fields all = fields().i64(0).i64(0).i64(0).byte(0).i32(static_cast<int32_t>(pools_.size()));
    for (const auto& [type, constants] : pools_) {
      all.i64(type).i32(static_cast<int32_t>(constants.size()));
      for (const Fields& constant : constants) all.raw(constant);
    }
    pools_.clear();
    return event(1, all);
  }

  int64_t start_ns = 1'700'000'000'000'000'000;
  int64_t duration_ns = 2'000'000'000;
  int64_t ticks_per_second = 1'000'000'000;

  std::string bytes() {
    if (!pools_.empty()) checkpoint();
    const size_t metadata_at = 68 + events_.size();
    const std::string content = events_ + metadata();
    Fields header(Encoding::Plain);
    header.bytes = std::string("FLR\0\0\2\0\0", 8);
    header.i64(static_cast<int64_t>(68 + content.size())).i64(0).i64(static_cast<int64_t>(metadata_at));
    header.i64(start_ns).i64(duration_ns).i64(0).i64(ticks_per_second).i32(encoding_ == Encoding::Compressed ? 1 : 0);
    return header.bytes + content;
  }

 private:
  // The size of an event counts itself, so it is written with a width that does not depend on it.
  std::string whole(int type, const Fields& values) const {
    const std::string rest = fields().i64(type).raw(values).bytes;
    const size_t size = 4 + rest.size();
    Fields head(Encoding::Plain);
    if (encoding_ == Encoding::Plain) return head.fixed(size, 4).bytes + rest;
    for (int i = 0; i < 4; ++i) head.byte(static_cast<uint8_t>((size >> (7 * i) & 0x7f) | (i < 3 ? 0x80 : 0)));
    return head.bytes + rest;
  }

  using Attributes = std::vector<std::pair<std::string, std::string>>;

  std::string metadata() const {
    std::vector<std::string> names;
    Fields tree = fields();
    const auto name = [&](const std::string& text) {
      names.push_back(text);
      return static_cast<int32_t>(names.size() - 1);
    };
    const auto element = [&](const std::string& what, const Attributes& attributes, size_t children) {
      tree.i32(name(what)).i32(static_cast<int32_t>(attributes.size()));
      for (const auto& [key, value] : attributes) {
        tree.i32(name(key)).i32(name(value));
      }
      tree.i32(static_cast<int32_t>(children));
    };
    element("root", {}, 1);
    element("metadata", {}, classes_.size());
    for (const TestClass& each : classes_) {
      element("class", {{"name", each.name}, {"id", std::to_string(each.id)}}, each.fields.size());
      for (const TestField& field : each.fields) {
        Attributes attributes{{"name", field.name}, {"class", std::to_string(field.type)}};
        if (field.form == 'c') attributes.emplace_back("constantPool", "true");
        if (field.form == 'a') attributes.emplace_back("dimension", "1");
        element("field", attributes, field.time_unit.empty() ? 0 : 1);
        if (!field.time_unit.empty()) element("annotation", {{"class", "0"}, {"value", field.time_unit}}, 0);
      }
    }
    Fields all = fields().i64(0).i64(0).i64(0).i32(static_cast<int32_t>(names.size()));
    for (const std::string& text : names) all.text(text);
    return whole(0, all.raw(tree));
  }

  std::vector<TestClass> classes_;
  Encoding encoding_;
  std::map<int, std::vector<Fields>> pools_;
  std::string events_;
};

}  // namespace atys::test

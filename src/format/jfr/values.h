// SPDX-License-Identifier: Apache-2.0
// Reads the fields of an event or a constant by the layout of its class: those that somebody wants into slots, the others
// only to get past them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "format/jfr/cursor.h"
#include "format/jfr/metadata.h"

namespace atys::format::jfr {

enum class ValueForm : uint8_t { None, Number, Text, Constant };

struct Value {
  ValueForm form = ValueForm::None;
  int64_t number = 0;  // or the key of the constant
  uint64_t type = 0;   // of a constant: id of its class
  std::string text;
  TimeUnit unit = TimeUnit::Ticks;

  uint64_t key() const { return form == ValueForm::Constant ? static_cast<uint64_t>(number) : 0; }
};

// Which slot each field of a class goes to.
class Selection {
 public:
  Selection() = default;
  // `slot_of(name)` is a slot's number, or -1 for a field that nobody wants.
  template <typename SlotOf>
  Selection(const ClassLayout& layout, const SlotOf& slot_of) : layout_(&layout) {
    for (const Field& field : layout.fields) slots_.push_back(static_cast<int8_t>(slot_of(field.name)));
  }

  const ClassLayout* layout() const { return layout_; }
  int slot(size_t field) const { return slots_[field]; }

 private:
  const ClassLayout* layout_ = nullptr;
  std::vector<int8_t> slots_;
};

class ValueReader {
 public:
  // The metadata outlive the reader.
  explicit ValueReader(const Metadata& metadata) : metadata_(&metadata) {}

  // All fields of a structure; `slots` that the class has no field for keep what they hold.
  void read(Cursor& cursor, const Selection& selection, std::span<Value> slots) const;
  Value read_one(Cursor& cursor, const Field& field) const;
  void skip(Cursor& cursor, const Field& field) const { skip_field(cursor, field, 0); }
  // A constant of that class: a string, a number or a structure.
  void skip_constant(Cursor& cursor, const ClassLayout& layout) const { skip_value(cursor, layout.kind, &layout, 0); }

 private:
  void skip_field(Cursor& cursor, const Field& field, int depth) const;
  void skip_value(Cursor& cursor, FieldKind kind, const ClassLayout* layout, int depth) const;

  const Metadata* metadata_;
};

}  // namespace atys::format::jfr

// SPDX-License-Identifier: Apache-2.0
#include "format/jfr/values.h"

namespace atys::format::jfr {

namespace {

// Structures inside of structures; a class that contains itself has no end.
constexpr int kMaxDepth = 16;

int64_t read_number(Cursor& cursor, FieldKind kind) {
  switch (kind) {
    case FieldKind::Boolean: return cursor.byte();
    case FieldKind::Byte: return static_cast<int8_t>(cursor.byte());
    case FieldKind::Char: return cursor.char_value();
    case FieldKind::Short: return cursor.short_value();
    case FieldKind::Int: return cursor.int_value();
    case FieldKind::Long: return cursor.long_value();
    case FieldKind::Float: return static_cast<int64_t>(cursor.fixed(4));
    case FieldKind::Double: return static_cast<int64_t>(cursor.fixed(8));
    default: return 0;
  }
}

bool is_number(FieldKind kind) { return kind < FieldKind::String; }

}  // namespace

void ValueReader::skip_value(Cursor& cursor, FieldKind kind, const ClassLayout* layout, int depth) const {
  if (is_number(kind)) {
    read_number(cursor, kind);
  } else if (kind == FieldKind::String) {
    cursor.skip_string();
  } else if (kind == FieldKind::Opaque || layout == nullptr || depth > kMaxDepth) {
    cursor.fail_with("a value of a class that the metadata do not describe");
  } else {
    for (const Field& field : layout->fields) {
      if (!cursor.ok()) return;
      skip_field(cursor, field, depth + 1);
    }
  }
}

void ValueReader::skip_field(Cursor& cursor, const Field& field, int depth) const {
  const size_t count = field.is_array ? cursor.count() : 1;
  const ClassLayout* layout = field.kind == FieldKind::Struct ? metadata_->find(field.type) : nullptr;
  for (size_t i = 0; i < count && cursor.ok(); ++i) {
    if (field.is_constant) {
      cursor.long_value();
    } else {
      skip_value(cursor, field.kind, layout, depth);
    }
  }
}

Value ValueReader::read_one(Cursor& cursor, const Field& field) const {
  Value value;
  value.unit = field.unit;
  if (field.is_array) {
    skip(cursor, field);
  } else if (field.is_constant) {
    value.form = ValueForm::Constant;
    value.number = cursor.long_value();
    value.type = field.type;
  } else if (is_number(field.kind)) {
    value.form = ValueForm::Number;
    value.number = read_number(cursor, field.kind);
  } else if (field.kind == FieldKind::String) {
    StringValue string = cursor.string();
    value.form = string.is_constant ? ValueForm::Constant : ValueForm::Text;
    value.number = static_cast<int64_t>(string.key);
    value.type = field.type;
    value.text = std::move(string.text);
  } else {
    skip(cursor, field);
  }
  return value;
}

void ValueReader::read(Cursor& cursor, const Selection& selection, std::span<Value> slots) const {
  const auto& fields = selection.layout()->fields;
  for (size_t i = 0; i < fields.size() && cursor.ok(); ++i) {
    const int slot = selection.slot(i);
    if (slot < 0) {
      skip(cursor, fields[i]);
    } else {
      slots[static_cast<size_t>(slot)] = read_one(cursor, fields[i]);
    }
  }
}

}  // namespace atys::format::jfr

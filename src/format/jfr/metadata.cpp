// SPDX-License-Identifier: Apache-2.0
#include "format/jfr/metadata.h"

#include <array>
#include <charconv>
#include <utility>

namespace atys::format::jfr {

namespace {

// Root, metadata, class, field, annotation; what is deeper is nothing that we know.
constexpr int kMaxDepth = 16;

constexpr std::array<std::pair<std::string_view, FieldKind>, 9> kPrimitives{{
    {"boolean", FieldKind::Boolean},
    {"byte", FieldKind::Byte},
    {"char", FieldKind::Char},
    {"short", FieldKind::Short},
    {"int", FieldKind::Int},
    {"long", FieldKind::Long},
    {"float", FieldKind::Float},
    {"double", FieldKind::Double},
    {"java.lang.String", FieldKind::String},
}};

constexpr std::array<std::pair<std::string_view, TimeUnit>, 5> kUnits{{
    {"TICKS", TimeUnit::Ticks},
    {"NANOSECONDS", TimeUnit::Nanoseconds},
    {"MICROSECONDS", TimeUnit::Microseconds},
    {"MILLISECONDS", TimeUnit::Milliseconds},
    {"SECONDS", TimeUnit::Seconds},
}};

FieldKind kind_of(std::string_view class_name) {
  for (const auto& [name, kind] : kPrimitives) {
    if (name == class_name) return kind;
  }
  return FieldKind::Struct;
}

uint64_t number(std::string_view text) {
  uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// Walks the tree of elements once; what it is inside of says what an element means.
class TreeReader {
 public:
  TreeReader(Cursor cursor, IdMap<ClassLayout>& classes) : cursor_(cursor), classes_(&classes) {}

  Result<> read() {
    read_strings();
    element(nullptr, nullptr, 0);
    if (!cursor_.ok()) return cursor_.error();
    return {};
  }

 private:
  void read_strings() {
    const size_t count = cursor_.count();
    for (size_t i = 0; i < count && cursor_.ok(); ++i) strings_.push_back(cursor_.string().text);
  }

  std::string_view text() {
    const int32_t index = cursor_.int_value();
    if (index < 0 || static_cast<size_t>(index) >= strings_.size()) {
      cursor_.fail_with("a name is outside of the table of names");
      return {};
    }
    return strings_[static_cast<size_t>(index)];
  }

  void element(ClassLayout* in_class, Field* in_field, int depth) {
    if (depth > kMaxDepth) return cursor_.fail_with("elements are nested too deeply");
    const std::string_view what = text();
    Attributes attributes;
    const size_t count = cursor_.count();
    for (size_t i = 0; i < count && cursor_.ok(); ++i) {
      const std::string_view key = text();
      take_attribute(attributes, key, text());
    }
    if (!cursor_.ok()) return;
    Field field;
    if (what == "class") {
      in_class = add_class(attributes);
    } else if (what == "field" && in_class != nullptr) {
      field = made_field(attributes);
      in_field = &field;
    } else if (what == "annotation" && in_field != nullptr) {
      take_unit(*in_field, attributes.value);
    }
    const size_t children = cursor_.count();
    for (size_t i = 0; i < children && cursor_.ok(); ++i) element(in_class, in_field, depth + 1);
    if (in_field == &field) in_class->fields.push_back(std::move(field));
  }

  struct Attributes {
    std::string_view name, id, type, dimension, constant_pool, value;
  };

  static void take_attribute(Attributes& attributes, std::string_view key, std::string_view value) {
    if (key == "name") attributes.name = value;
    if (key == "id") attributes.id = value;
    if (key == "class" || key == "type") attributes.type = value;
    if (key == "dimension") attributes.dimension = value;
    if (key == "constantPool") attributes.constant_pool = value;
    if (key == "value") attributes.value = value;
  }

  ClassLayout* add_class(const Attributes& attributes) {
    ClassLayout& layout = (*classes_)[number(attributes.id)];
    layout = {.name = std::string(attributes.name), .kind = kind_of(attributes.name), .fields = {}};
    return &layout;
  }

  static Field made_field(const Attributes& attributes) {
    Field field;
    field.name = attributes.name;
    field.type = number(attributes.type);
    field.is_array = number(attributes.dimension) > 0;
    field.is_constant = attributes.constant_pool == "true";
    return field;
  }

  // Only annotations of time have one of these words as their value.
  static void take_unit(Field& field, std::string_view value) {
    for (const auto& [name, unit] : kUnits) {
      if (name == value) field.unit = unit;
    }
  }

  Cursor cursor_;
  IdMap<ClassLayout>* classes_;
  std::vector<std::string> strings_;
};

// Fields name their class by a number that may come later.
void link(IdMap<ClassLayout>& classes) {
  for (auto& [id, layout] : classes) {
    for (Field& field : layout.fields) {
      const auto found = classes.find(field.type);
      const bool is_known =
          found != classes.end() && (found->second.kind != FieldKind::Struct || !found->second.fields.empty());
      field.kind = is_known ? found->second.kind : FieldKind::Opaque;
    }
  }
}

}  // namespace

Result<Metadata> Metadata::parse(std::string_view file, const Chunk& chunk) {
  const Event event = TRY(read_event(file, chunk, chunk.metadata));
  if (event.type != kMetadataEvent) return bad_data(chunk.metadata, "the metadata are no event of that type");
  Cursor cursor = event.fields(file, chunk);
  for (int i = 0; i < 3; ++i) cursor.long_value();  // start, duration, number of the metadata
  Metadata metadata;
  TRY(TreeReader(cursor, metadata.classes_).read());
  link(metadata.classes_);
  return metadata;
}

const ClassLayout* Metadata::find(uint64_t id) const {
  const auto found = classes_.find(id);
  return found == classes_.end() ? nullptr : &found->second;
}

}  // namespace atys::format::jfr

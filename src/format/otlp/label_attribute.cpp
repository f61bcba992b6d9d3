// SPDX-License-Identifier: Apache-2.0
#include "format/otlp/label_attribute.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "format/otlp/json_codec.h"

namespace atys::format::otlp {

using namespace profile;

namespace {

bool has_reference(const AnyValue& value) {
  if (value.get<StringReference>() != nullptr) return true;
  if (const auto* array = value.get<ArrayValue>()) return std::ranges::any_of(array->values, has_reference);
  if (const auto* list = value.get<KeyValueList>()) {
    return std::ranges::any_of(list->values,
                               [](const KeyValue& pair) { return pair.key_strindex != 0 || has_reference(pair.value); });
  }
  return false;
}

// The elements of a value in our own form; null if it is not in that form.
const std::vector<AnyValue>* multi_elements(const AnyValue& value) {
  const auto* list = value.get<KeyValueList>();
  if (list == nullptr || list->values.size() != 1 || list->values[0].key != kMulti) return nullptr;
  const auto* array = list->values[0].value.get<ArrayValue>();
  if (array == nullptr || array->values.empty()) return nullptr;
  const bool fits = std::ranges::all_of(array->values, [](const AnyValue& element) {
    const auto* parts = element.get<KeyValueList>();
    if (parts == nullptr) return false;
    const AnyValue* type = find(*parts, "t");
    return find(*parts, "v") != nullptr || (type != nullptr && type->get<int64_t>() != nullptr);
  });
  return fits ? &array->values : nullptr;
}

std::optional<AnyValue> plain_json(const Profile& profile, const Label& label) {
  const std::string_view text = profile.text(label.text);
  auto value = decode_json_value(text);
  if (!value || has_reference(*value) || is_deeper_than(*value, kMaxValueDepth)) return std::nullopt;
  const bool is_composite = value->get<ArrayValue>() != nullptr || value->get<KeyValueList>() != nullptr;
  // Without key and value it would be the empty attribute, which stands for none.
  const bool is_nothing = value->get<std::monostate>() != nullptr && !profile.text(label.key).empty();
  if (!is_composite && !is_nothing) return std::nullopt;
  if (multi_elements(*value) != nullptr || encode_json(*value) != text) return std::nullopt;
  return value;
}

// The value that stands for a label, unit aside; nothing if something would be lost.
std::optional<AnyValue> plain_value(const Profile& profile, const Label& label, LabelScope scope) {
  if (label.scope != scope) return std::nullopt;
  const bool has_text = label.text != kNoString && !profile.text(label.text).empty();
  const std::string text(profile.text(label.text));
  switch (label.type) {
    case LabelType::String: return label.number == 0 ? std::optional(AnyValue{text}) : std::nullopt;
    case LabelType::Bytes: return label.number == 0 ? std::optional(AnyValue{BytesValue{text}}) : std::nullopt;
    case LabelType::Int: return has_text ? std::nullopt : std::optional(AnyValue{label.number});
    case LabelType::Bool:
      return has_text || label.number < 0 || label.number > 1 ? std::nullopt : std::optional(AnyValue{label.number == 1});
    case LabelType::Double: {
      const auto number = std::bit_cast<double>(label.number);
      // JSON has only one NaN.
      const bool is_odd =
          std::isnan(number) && label.number != std::bit_cast<int64_t>(std::numeric_limits<double>::quiet_NaN());
      return has_text || is_odd ? std::nullopt : std::optional(AnyValue{number});
    }
    case LabelType::Json: return label.number == 0 ? plain_json(profile, label) : std::nullopt;
  }
  return std::nullopt;
}

AnyValue multi_element(const Profile& profile, const Label& label, LabelScope scope) {
  KeyValueList parts;
  if (auto plain = plain_value(profile, label, scope)) {
    parts.values.push_back({"v", *std::move(plain)});
  } else {
    parts.values.push_back({"t", any(static_cast<int64_t>(label.type))});
    parts.values.push_back({"s", AnyValue{BytesValue{std::string(profile.text(label.text))}}});
    parts.values.push_back({"n", any(label.number)});
    parts.values.push_back({"c", any(static_cast<int64_t>(label.scope))});
  }
  if (!profile.text(label.unit).empty()) parts.values.push_back({"u", any(profile.text(label.unit))});
  return {std::move(parts)};
}

LabelAttribute attribute_of(const Profile& profile, std::span<const LabelId> same_key, AttributeList list) {
  const LabelScope scope = scope_of(list);
  const Label& first = profile.labels[same_key.front()];
  const std::string_view unit = profile.text(first.unit);
  LabelAttribute attribute{escape_key(list, profile.text(first.key)), {}, {}};
  const bool has_unit_field = list != AttributeList::Resource && list != AttributeList::Scope;
  if (same_key.size() == 1 && (unit.empty() || has_unit_field)) {
    if (auto plain = plain_value(profile, first, scope)) {
      attribute.value = *std::move(plain);
      attribute.unit = unit;
      return attribute;
    }
  }
  ArrayValue elements;
  for (const LabelId id : same_key) elements.values.push_back(multi_element(profile, profile.labels[id], scope));
  attribute.value = {KeyValueList{{{std::string(kMulti), {std::move(elements)}}}}};
  return attribute;
}

int64_t int_part(const KeyValueList& parts, std::string_view key) {
  const AnyValue* part = find(parts, key);
  const int64_t* number = part == nullptr ? nullptr : part->get<int64_t>();
  return number == nullptr ? 0 : *number;
}

std::string_view text_part(const KeyValueList& parts, std::string_view key) {
  const AnyValue* part = find(parts, key);
  if (part == nullptr) return {};
  if (const auto* bytes = part->get<BytesValue>()) return bytes->bytes;
  const auto* text = part->get<std::string>();
  return text == nullptr ? std::string_view{} : *text;
}

// Fills in what a plain value says.
void set_plain(Profile& profile, const AnyValue& value, Label& label) {
  if (const auto* text = value.get<std::string>()) {
    label.text = profile.strings.intern(*text);
  } else if (const auto* truth = value.get<bool>()) {
    label.type = LabelType::Bool;
    label.number = *truth ? 1 : 0;
  } else if (const auto* integer = value.get<int64_t>()) {
    label.type = LabelType::Int;
    label.number = *integer;
  } else if (const auto* real = value.get<double>()) {
    label.type = LabelType::Double;
    label.number = std::bit_cast<int64_t>(*real);
  } else if (const auto* bytes = value.get<BytesValue>()) {
    label.type = LabelType::Bytes;
    label.text = profile.strings.intern(bytes->bytes);
  } else {
    label.type = LabelType::Json;
    label.text = profile.strings.intern(encode_json(value));
  }
}

void set_parts(Profile& profile, const KeyValueList& parts, Label& label) {
  label.unit = profile.strings.intern(text_part(parts, "u"));
  if (const AnyValue* value = find(parts, "v")) return set_plain(profile, *value, label);
  label.type = static_cast<LabelType>(std::clamp<int64_t>(int_part(parts, "t"), 0, static_cast<int64_t>(LabelType::Json)));
  label.scope =
      static_cast<LabelScope>(std::clamp<int64_t>(int_part(parts, "c"), 0, static_cast<int64_t>(LabelScope::Resource)));
  label.text = profile.strings.intern(text_part(parts, "s"));
  label.number = int_part(parts, "n");
}

}  // namespace

bool is_deeper_than(const AnyValue& value, size_t depth) {
  if (const auto* array = value.get<ArrayValue>()) {
    return depth == 0 ||
           std::ranges::any_of(array->values, [&](const AnyValue& item) { return is_deeper_than(item, depth - 1); });
  }
  if (const auto* list = value.get<KeyValueList>()) {
    return depth == 0 ||
           std::ranges::any_of(list->values, [&](const KeyValue& pair) { return is_deeper_than(pair.value, depth - 1); });
  }
  return false;
}

std::vector<LabelAttribute> attributes_of(const Profile& profile, std::span<const LabelId> labels, AttributeList list) {
  const auto key = [&](LabelId id) { return profile.text(profile.labels[id].key); };
  std::vector<LabelId> sorted(labels.begin(), labels.end());
  std::ranges::stable_sort(sorted, {}, key);
  std::vector<LabelAttribute> attributes;
  for (size_t begin = 0; begin < sorted.size();) {
    size_t end = begin + 1;
    while (end < sorted.size() && key(sorted[end]) == key(sorted[begin])) ++end;
    attributes.push_back(attribute_of(profile, std::span(sorted).subspan(begin, end - begin), list));
    begin = end;
  }
  return attributes;
}

void append_labels(Profile& profile, std::string_view key, const AnyValue& value, std::string_view unit, AttributeList list,
                   std::vector<LabelId>& labels) {
  Label label;
  label.key = profile.strings.intern(unescape_key(key));
  label.scope = scope_of(list);
  const std::vector<AnyValue>* elements = multi_elements(value);
  if (elements == nullptr) {
    label.unit = profile.strings.intern(unit);
    set_plain(profile, value, label);
    labels.push_back(profile.labels.intern(label));
    return;
  }
  for (const AnyValue& element : *elements) {
    Label one = label;
    set_parts(profile, *element.get<KeyValueList>(), one);
    labels.push_back(profile.labels.intern(one));
  }
}

}  // namespace atys::format::otlp

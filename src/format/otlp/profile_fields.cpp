// SPDX-License-Identifier: Apache-2.0
#include "format/otlp/profile_fields.h"

namespace atys::format::otlp {

namespace {

AnyValue value_of(std::string_view, int64_t number) { return {number}; }
AnyValue value_of(std::string_view key, const std::string& text) {
  return key == kIdKey ? AnyValue{BytesValue{text}} : AnyValue{text};
}

bool take(const AnyValue& value, int64_t& number) {
  const auto* held = value.get<int64_t>();
  if (held != nullptr) number = *held;
  return held != nullptr;
}

bool take(const AnyValue& value, std::string& text) {
  if (const auto* bytes = value.get<BytesValue>()) {
    text = bytes->bytes;
    return true;
  }
  const auto* held = value.get<std::string>();
  if (held != nullptr) text = *held;
  return held != nullptr;
}

}  // namespace

ProfileFields fields_of(const Profile& profile) {
  const profile::Header& header = profile.header;
  return {header.time_ns,
          header.duration_ns,
          header.period,
          std::string(profile.text(header.period_type.type)),
          std::string(profile.text(header.period_type.unit)),
          std::string(profile.text(header.id))};
}

void set_fields(Profile& profile, const ProfileFields& fields) {
  profile::Header& header = profile.header;
  header.time_ns = fields.time_ns;
  header.duration_ns = fields.duration_ns;
  header.period = fields.period;
  header.period_type.type = profile.strings.intern(fields.period_type);
  header.period_type.unit = profile.strings.intern(fields.period_unit);
  header.id = profile.strings.intern(fields.id);
}

AnyValue to_value(const ProfileFields& fields) {
  KeyValueList list;
  for_each_field(fields, fields, [&](std::string_view key, const auto& mine, const auto&) {
    list.values.push_back({std::string(key), value_of(key, mine)});
  });
  return {std::move(list)};
}

std::optional<ProfileFields> fields_from(const AnyValue& value) {
  const auto* list = value.get<KeyValueList>();
  if (list == nullptr) return std::nullopt;
  ProfileFields fields;
  bool fits = true;
  for_each_field(fields, fields, [&](std::string_view key, auto& mine, const auto&) {
    const AnyValue* held = find(*list, key);
    fits = fits && held != nullptr && take(*held, mine);
  });
  return fits ? std::optional(fields) : std::nullopt;
}

bool is_profile_id(std::string_view id) { return id.size() == 16 && id.find_first_not_of('\0') != std::string_view::npos; }

}  // namespace atys::format::otlp

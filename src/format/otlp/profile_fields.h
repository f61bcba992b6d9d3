// SPDX-License-Identifier: Apache-2.0
// What OTLP says of each of its profiles and we of the profile as a whole: when, how long, how often, which. In a file whose
// profiles differ in these, the header has the first one's, and samples of the others carry theirs as labels with the keys
// below; writing puts them back into the fields. The attribute `atys.header` of the first profile holds those of the whole
// where its own fields cannot.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "format/otlp/any_value.h"
#include "profile/profile.h"

namespace atys::format::otlp {

inline constexpr std::string_view kTimeKey = "otlp.profile.time_unix_nano";
inline constexpr std::string_view kDurationKey = "otlp.profile.duration_nano";
inline constexpr std::string_view kPeriodKey = "otlp.profile.period";
inline constexpr std::string_view kPeriodTypeKey = "otlp.profile.period_type";
inline constexpr std::string_view kPeriodUnitKey = "otlp.profile.period_unit";
inline constexpr std::string_view kIdKey = "otlp.profile.profile_id";

struct ProfileFields {
  int64_t time_ns = 0;
  int64_t duration_ns = 0;
  int64_t period = 0;
  std::string period_type, period_unit;
  std::string id;  // raw bytes

  bool operator==(const ProfileFields&) const = default;
};

// Visits each field with its key and the same field of `other`: `visit(key, mine, theirs)`.
template <typename Fields, typename Visit>
void for_each_field(Fields& mine, const ProfileFields& theirs, const Visit& visit) {
  visit(kTimeKey, mine.time_ns, theirs.time_ns);
  visit(kDurationKey, mine.duration_ns, theirs.duration_ns);
  visit(kPeriodKey, mine.period, theirs.period);
  visit(kPeriodTypeKey, mine.period_type, theirs.period_type);
  visit(kPeriodUnitKey, mine.period_unit, theirs.period_unit);
  visit(kIdKey, mine.id, theirs.id);
}

ProfileFields fields_of(const Profile& profile);
void set_fields(Profile& profile, const ProfileFields& fields);

AnyValue to_value(const ProfileFields& fields);
// Nothing if the value does not have that form.
std::optional<ProfileFields> fields_from(const AnyValue& value);

// OTLP wants 16 bytes that are not all zero.
bool is_profile_id(std::string_view id);

}  // namespace atys::format::otlp

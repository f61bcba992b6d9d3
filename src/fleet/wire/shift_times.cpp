// SPDX-License-Identifier: Apache-2.0
#include "fleet/wire/shift_times.h"

#include <charconv>

#include "fleet/window_labels.h"
#include "format/otlp/binary_codec.h"

namespace atys::fleet {

namespace otlp = format::otlp;

namespace {

constexpr int64_t kNsPerMs = 1'000'000;

void shift(uint64_t& time_ns, int64_t by_ns) {
  int64_t shifted = 0;
  if (time_ns == 0 || time_ns > INT64_MAX) return;  // none, or no time
  if (__builtin_add_overflow(static_cast<int64_t>(time_ns), by_ns, &shifted) || shifted <= 0) return;
  time_ns = static_cast<uint64_t>(shifted);
}

// "12-1763433226000": when the change began, in milliseconds.
void shift_beginning(otlp::KeyValue& stretch, int64_t by_ns) {
  const auto* text = stretch.value.get<std::string>();
  const size_t mark = text == nullptr ? std::string::npos : text->find(kBeganMark);
  if (mark == std::string::npos) return;
  int64_t began_ms = 0;
  const char* digits = text->data() + mark + 1;
  if (std::from_chars(digits, text->data() + text->size(), began_ms).ec != std::errc{}) return;
  stretch.value = otlp::any(text->substr(0, mark + 1) + std::to_string(began_ms + by_ns / kNsPerMs));
}

}  // namespace

Result<std::string> shift_times(std::string_view bytes, int64_t shift_ns) {
  otlp::message::ProfilesData data = TRY(otlp::decode_binary(bytes));
  for (otlp::message::ResourceProfiles& resource : data.resource_profiles) {
    for (otlp::KeyValue& attribute : resource.resource.attributes)
      if (attribute.key == kStretch) shift_beginning(attribute, shift_ns);
    resource.resource.attributes.push_back({std::string(kClockLabel), otlp::any(kClockShifted)});
    for (otlp::message::ScopeProfiles& scope : resource.scope_profiles)
      for (otlp::message::Profile& profile : scope.profiles) {
        shift(profile.time_unix_nano, shift_ns);
        for (otlp::message::Sample& sample : profile.samples)
          for (uint64_t& time : sample.timestamps_unix_nano) shift(time, shift_ns);
      }
  }
  return otlp::encode_binary(data);
}

}  // namespace atys::fleet

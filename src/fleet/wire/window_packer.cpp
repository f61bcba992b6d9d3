// SPDX-License-Identifier: Apache-2.0
#include "fleet/wire/window_packer.h"

#include <algorithm>

#include "fleet/window_labels.h"
#include "format/otlp/binary_codec.h"
#include "format/otlp/entry.h"
#include "format/otlp/index_check.h"

namespace atys::fleet {

namespace otlp = format::otlp;

namespace {

// Twice the time for 10 % less is worth it where there is much to send.
constexpr size_t kLargeWindow = size_t{200} << 10;

// Windows that are likely to say the same. Where this is wrong it costs bytes, and nothing else.
std::string series_of(const otlp::message::ProfilesData& data) {
  std::string series;
  const auto add = [&](std::string_view text) { series.append(text).push_back('\0'); };
  if (data.resource_profiles.empty()) return series;
  const otlp::message::ResourceProfiles& resource = data.resource_profiles.front();
  for (const std::string_view key : {kServiceName, kServiceVersion, kTaskName})
    for (const otlp::KeyValue& attribute : resource.resource.attributes)
      if (attribute.key == key)
        if (const auto* text = attribute.value.get<std::string>()) add(*text);
  for (const otlp::message::ScopeProfiles& scope : resource.scope_profiles)
    for (const otlp::message::Profile& profile : scope.profiles)
      add(otlp::text_entry(data.dictionary.string_table, profile.sample_type.type_strindex));
  return series;
}

}  // namespace

std::list<WindowPacker::Series>::iterator WindowPacker::find(const std::string& name) {
  return std::find_if(series_.begin(), series_.end(), [&](const Series& one) { return one.name == name; });
}

Result<WindowPacker::Packed> WindowPacker::pack(std::string_view otlp) {
  if (otlp.size() > kMostDczBytes / 2) return fail(ErrorCode::ResourceExhausted, "the window is too large to be packed");
  otlp::message::ProfilesData data = TRY(otlp::decode_binary(otlp));
  TRY(otlp::check_indices(data));
  Packed packed;
  packed.series = series_of(data);
  const auto known = find(packed.series);
  if (known == series_.end()) {
    series_.push_front({packed.series, otlp::SteadyTables(), std::nullopt});
  } else {
    series_.splice(series_.begin(), series_, known);
  }
  Series& series = series_.front();
  packed.message = TRY(series.tables.write(std::move(data)));
  if (packed.message.size() > kMostDczBytes)
    return fail(ErrorCode::ResourceExhausted, "the window is too large to be packed");
  packed.needs_dictionary = series.last.has_value();
  const DczEffort effort = otlp.size() < kLargeWindow ? DczEffort::Usual : DczEffort::Thorough;
  packed.body = pack_dcz(packed.message, series.last ? &*series.last : nullptr, effort);
  make_room();
  return packed;
}

void WindowPacker::arrived(Packed packed) {
  const auto series = find(packed.series);
  if (series == series_.end()) return;
  std::string hash = sha256(packed.message);
  series->last = DczDictionary{std::move(packed.message), std::move(hash)};
  make_room();
}

void WindowPacker::forget(const Packed& packed) {
  if (const auto series = find(packed.series); series != series_.end()) series_.erase(series);
}

size_t WindowPacker::memory_bytes() const {
  size_t bytes = 0;
  for (const Series& series : series_) bytes += series.memory_bytes();
  return bytes;
}

void WindowPacker::make_room() {
  while (series_.size() > 1 && memory_bytes() > most_bytes_) series_.pop_back();
}

}  // namespace atys::fleet

// SPDX-License-Identifier: Apache-2.0
#include "verbs/profiles/profile_info.h"

#include <cmath>

#include "profile/loss.h"
#include "reduce/sample_count.h"
#include "verbs/view/what_there_is.h"

namespace atys::verbs {

Result<size_t> find_value_column(const Profile& profile, const std::string& value) {
  if (profile.value_types().empty()) return fail(ErrorCode::InvalidInput, "the profile has no values", "record it again");
  if (value.empty()) return profile.default_value_column();
  std::vector<std::string> known;
  for (size_t i = 0; i < profile.value_types().size(); ++i) {
    const auto& type = profile.value_types()[i];
    const std::string name(profile.text(type.type));
    if (value == name || value == name + "/" + std::string(profile.text(type.unit)) || value == std::to_string(i)) return i;
    known.push_back(name);
  }
  return fail(ErrorCode::NotFound, "the profile has no value type '" + value + "'", "it has " + listed_data(known));
}

ProfileInfo describe(const LoadedProfile& loaded, size_t column) {
  const Profile& profile = loaded.profile;
  ProfileInfo info;
  info.id = loaded.id;
  info.name = loaded.name;
  info.kind = profile.text(profile.value_types()[column].type);
  info.unit = profile.text(profile.value_types()[column].unit);
  const reduce::SampleCount count = reduce::count_samples(profile, column);
  info.samples = std::round(count.samples);
  info.effective_samples = std::round(count.effective);
  info.is_count_known = count.is_known;
  for (const int64_t value : profile.samples.values(column)) info.total += static_cast<double>(value);
  info.duration_ns = profile.header.duration_ns;
  for (const auto& fact : profile.provenance) {
    if (profile.text(fact.key) == "target") info.targets.emplace_back(profile.text(fact.value));
  }
  // Profiles from elsewhere say what they are of by their first mapping: the main binary, by pprof's convention.
  if (info.targets.empty() && profile.mappings.size() > 1) {
    const auto binary = profile.text(profile.mappings[profile::MappingId{1}].filename);
    if (!binary.empty()) info.targets.emplace_back(binary);
  }
  for (const auto& loss : profile.losses) {
    const std::string_view reason = profile.text(loss.reason);
    info.loss.push_back({std::string(reason), loss.count, profile::is_in_samples(reason)});
  }
  if (info.duration_ns > 0) {
    info.overhead_cpu_percent = 100.0 * static_cast<double>(profile.overhead.cpu_ns) / static_cast<double>(info.duration_ns);
  }
  info.overhead_bytes = profile.overhead.bytes;
  return info;
}

}  // namespace atys::verbs

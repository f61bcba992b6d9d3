// SPDX-License-Identifier: Apache-2.0
#include "reduce/profile_title.h"

#include <algorithm>
#include <cmath>

#include "base/path_names.h"
#include "reduce/sample_count.h"

namespace atys::reduce {

std::string profile_title(const Profile& profile) {
  for (const profile::Mapping& mapping : profile.mappings.rows()) {
    const std::string_view file = base_name(profile.text(mapping.filename));
    if (!file.empty() && file.front() != '[') return std::string(file);
  }
  return "Flame graph";
}

std::optional<int64_t> sample_count(const Profile& profile) {
  if (profile.value_types().empty()) return 0;
  const SampleCount count = count_samples(profile, profile.default_value_column());
  if (!count.is_known) return std::nullopt;
  return static_cast<int64_t>(std::llround(std::min(count.samples, 9e18)));
}

}  // namespace atys::reduce

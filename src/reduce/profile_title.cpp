// SPDX-License-Identifier: Apache-2.0
#include "reduce/profile_title.h"

namespace atys::reduce {

std::string profile_title(const Profile& profile) {
  for (const profile::Mapping& mapping : profile.mappings.rows()) {
    std::string_view file = profile.text(mapping.filename);
    file.remove_prefix(file.rfind('/') + 1);
    if (!file.empty() && file.front() != '[') return std::string(file);
  }
  return "Flame graph";
}

int64_t sample_count(const Profile& profile) {
  for (size_t column = 0; column < profile.value_types().size(); ++column) {
    const profile::ValueType& type = profile.value_types()[column];
    if (profile.text(type.type) != "samples" || profile.text(type.unit) != "count") continue;
    uint64_t sum = 0;
    for (const int64_t value : profile.samples.values(column)) sum += static_cast<uint64_t>(value);
    return static_cast<int64_t>(sum);
  }
  return static_cast<int64_t>(profile.samples.size());
}

}  // namespace atys::reduce

// SPDX-License-Identifier: Apache-2.0
#include "fleet/controller/kind_names.h"

#include "profile/kinds.h"

namespace atys::fleet {

namespace {

constexpr size_t kLongest = 100;

}  // namespace

std::string kind_of(std::string_view type, std::string_view unit, std::string_view period_type) {
  for (const std::string_view name : {type, period_type})
    if (const profile::KindRow* kind = profile::find_kind_of_type(name); kind != nullptr) return std::string(kind->name);
  // These say less than another column of the same rows does.
  for (const std::string_view vague : {"", "samples", "sample", "waits", "wakeup"})
    if (type == vague) return {};
  if (type == "events" && unit == "count") return {};
  return std::string(profile::kEventPrefix) + profile::plain_kind_name(type.substr(0, kLongest));
}

}  // namespace atys::fleet

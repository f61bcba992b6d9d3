// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace atys::fleet {

// What a profile measures, by the names that it and its period have: our own, pprof's and those that other OTLP senders use.
// Empty: the names do not tell, as with ("samples", "count") and no period.
std::string kind_of(std::string_view type, std::string_view unit, std::string_view period_type);

}  // namespace atys::fleet

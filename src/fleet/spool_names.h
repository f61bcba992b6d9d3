// SPDX-License-Identifier: Apache-2.0
// The names of a spool's files: "000000000042.otlp.gz", or "000000000042.1a2b3c4d.1763433226000000000.otlp.gz" for a window
// whose times are as this machine's clock had them (clock_stamp.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "fleet/clock_stamp.h"

namespace atys::fleet {

struct SpoolName {
  uint64_t number = 0;
  std::optional<ClockStamp> stamp;

  bool operator==(const SpoolName&) const = default;
};

std::string to_string(const SpoolName& name);
std::optional<SpoolName> parse_spool_name(std::string_view text);

}  // namespace atys::fleet

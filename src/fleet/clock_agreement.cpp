// SPDX-License-Identifier: Apache-2.0
#include "fleet/clock_agreement.h"

#include <fmt/format.h>
#include <sys/timex.h>

#include <cmath>

namespace atys::fleet {

bool is_clock_synchronized() {
  timex state{};
  const int status = ::adjtimex(&state);
  return status >= 0 && status != TIME_ERROR;
}

std::string clock_difference(int64_t ahead_ns) {
  const double seconds = std::abs(static_cast<double>(ahead_ns)) / 1e9;
  const auto text = seconds < 120          ? fmt::format("{:.0f} s", seconds)
                    : seconds < 2 * 3600   ? fmt::format("{:.0f} min", seconds / 60)
                    : seconds < 2 * 86'400 ? fmt::format("{:.1f} h", seconds / 3600)
                                           : fmt::format("{:.1f} days", seconds / 86'400);
  return text + (ahead_ns > 0 ? " ahead of" : " behind");
}

}  // namespace atys::fleet

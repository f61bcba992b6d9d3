// SPDX-License-Identifier: Apache-2.0
#include "store/trusted_clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/utc_time.h"

namespace atys::store {

namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kDay = 86'400 * kSecond;
constexpr int64_t kJump = 300 * kSecond;
constexpr const char* kAdvice = "nothing is dropped because of it; if it is wrong, set it";

std::string days_text(int64_t ns) { return fmt::format("{:.1f} days", static_cast<double>(std::llabs(ns)) / kDay); }

}  // namespace

TrustedClock::TrustedClock(int64_t reference_ns, int64_t wall_ns, int64_t running_ns)
    : reference_ns_(reference_ns > 0 ? reference_ns : wall_ns), wall_ns_(wall_ns), running_ns_(running_ns) {
  if (odd_start()) ++jumps_;
}

std::optional<std::string> TrustedClock::odd_start() const {
  if (std::llabs(ahead_ns()) <= kDay) return std::nullopt;
  return fmt::format("the clock says {}, {} {} what is stored: {}", time_text(wall_ns_), days_text(ahead_ns()),
                     ahead_ns() > 0 ? "after" : "before", kAdvice);
}

std::optional<std::string> TrustedClock::update(int64_t wall_ns, int64_t running_ns) {
  const int64_t elapsed = std::max<int64_t>(running_ns - running_ns_, 0);
  const int64_t jump = wall_ns - wall_ns_ - elapsed;
  wall_ns_ = wall_ns;
  running_ns_ = std::max(running_ns, running_ns_);
  reference_ns_ = std::clamp(wall_ns, reference_ns_, reference_ns_ + 2 * elapsed);
  if (std::llabs(jump) <= kJump) return std::nullopt;
  ++jumps_;
  return fmt::format("the clock was set {} by {}, to {}: {}", jump > 0 ? "forward" : "back", days_text(jump),
                     time_text(wall_ns), kAdvice);
}

int64_t TrustedClock::now_ns(int64_t newest_ns) const { return std::min(reference_ns_, std::max(wall_ns_, newest_ns)); }

int64_t TrustedClock::agreed_ns(int64_t newest_ns) const {
  return std::max(now_ns(newest_ns), std::min(wall_ns_, newest_ns));
}

}  // namespace atys::store

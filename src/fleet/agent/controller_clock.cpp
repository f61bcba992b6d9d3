// SPDX-License-Identifier: Apache-2.0
#include "fleet/agent/controller_clock.h"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>

#include "base/clock.h"
#include "fleet/clock_agreement.h"

namespace atys::fleet {

namespace {

constexpr int64_t kLongestNamingNs = 600'000'000'000;  // how long after its end a window is handed over, at the most
constexpr size_t kBootDigits = 8;

}  // namespace

ClockReading read_clocks() {
  return {static_cast<int64_t>(clock_ns(CLOCK_REALTIME)), static_cast<int64_t>(clock_ns(CLOCK_BOOTTIME))};
}

std::string read_boot() {
  std::string text;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> text;
  text = text.substr(0, kBootDigits);
  return text.empty() ? "0" : text;
}

ClockStamp stamp_of(int64_t start_ns, int64_t duration_ns, const ClockReading& now, const std::string& boot) {
  const int64_t since_end_ns = now.wall_ns - start_ns - duration_ns;
  const bool was_set = since_end_ns < -kClockToleranceNs || since_end_ns > kLongestNamingNs;
  return {boot, (was_set ? start_ns + duration_ns : now.wall_ns) - now.boot_ns};
}

void ControllerClock::note(const ClockReading& before, const ClockReading& after, int64_t controller_ns,
                           bool is_ours_synchronized, bool is_its_synchronized) {
  const int64_t middle_ns = before.boot_ns + (after.boot_ns - before.boot_ns) / 2;
  const int64_t own_ahead_ns = after.wall_ns - after.boot_ns;
  const int64_t its_ahead_ns = controller_ns - middle_ns;
  is_known_ = is_told_ = true;
  keeps_own_ = is_ours_synchronized && !is_its_synchronized;
  error_ns_ = (after.boot_ns - before.boot_ns) / 2;
  ahead_ns_ = own_ahead_ns - its_ahead_ns;
  true_ahead_ns_ = keeps_own_ ? own_ahead_ns : its_ahead_ns;
}

std::optional<int64_t> ControllerClock::shift_of(const ClockStamp& stamp) const {
  if (!is_known_) return std::nullopt;
  // Of another boot nobody knows what its clock was ahead of.
  if (!is_told_ || stamp.boot != boot_) return 0;
  const int64_t shift_ns = true_ahead_ns_ - stamp.wall_ahead_ns;
  return std::llabs(shift_ns) > kClockToleranceNs + error_ns_ ? shift_ns : 0;
}

bool ControllerClock::is_off() const { return is_told_ && std::llabs(ahead_ns_) > kClockToleranceNs + error_ns_; }

std::string ControllerClock::trouble() const {
  if (!is_off()) return {};
  if (keeps_own_)
    return fmt::format(
        "the clock of this machine is {} the controller's, which nobody keeps right: windows that it has no "
        "place for wait; on the controller's machine, {}",
        clock_difference(ahead_ns_), kClockFix);
  return fmt::format("the clock of this machine is {} the controller's: windows are shifted to the controller's time; {}",
                     clock_difference(ahead_ns_), kClockFix);
}

}  // namespace atys::fleet

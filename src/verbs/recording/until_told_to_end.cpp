// SPDX-License-Identifier: Apache-2.0
#include "verbs/recording/until_told_to_end.h"

#include <poll.h>

#include <limits>

#include "base/clock.h"

namespace atys::verbs {

namespace {

constexpr uint64_t kNsPerMs = 1'000'000;
constexpr int kLongestMs = std::numeric_limits<int>::max();

}  // namespace

Result<UntilToldToEnd> UntilToldToEnd::create() { return UntilToldToEnd(TRY(linux::SignalWatch::create())); }

void UntilToldToEnd::wait() {
  while (!wait(kLongestMs * kNsPerMs)) {
  }
}

bool UntilToldToEnd::wait(uint64_t ns) {
  const uint64_t end_ns = clock_ns(CLOCK_MONOTONIC) + ns;
  while (signals_.take().number == 0) {
    const uint64_t now = clock_ns(CLOCK_MONOTONIC);
    if (now >= end_ns) return false;
    pollfd ready{signals_.fd(), POLLIN, 0};
    const uint64_t ms = (end_ns - now + kNsPerMs - 1) / kNsPerMs;
    ::poll(&ready, 1, ms < kLongestMs ? static_cast<int>(ms) : kLongestMs);
  }
  return true;
}

}  // namespace atys::verbs

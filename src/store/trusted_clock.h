// SPDX-License-Identifier: Apache-2.0
// What time it is for the age of what is stored. A clock may be a year ahead for a minute, and what is dropped in that
// minute is gone: so time runs here at most twice as fast as the machine has been running since it was last looked at, and
// what is stored is never older than the newest that is stored says. A clock that was wrong for an hour costs an hour at
// most; one that is ahead because nothing ran for a week is caught up with in a week, and until then more is kept, not less.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace atys::store {

class TrustedClock {
 public:
  // `reference_ns`: what it was when it was last saved, or else the start of the newest window; 0: neither is known, the
  // clock is believed. `wall_ns` is Unix time, `running_ns` a clock that nobody sets and that goes on in a suspended
  // machine.
  TrustedClock(int64_t reference_ns, int64_t wall_ns, int64_t running_ns);

  // What there is to tell of it at the start: a clock that is more than a day from where it was.
  std::optional<std::string> odd_start() const;
  // What there is to tell where the clock was set by more than five minutes since the last call.
  std::optional<std::string> update(int64_t wall_ns, int64_t running_ns);

  // To be saved.
  int64_t reference_ns() const { return reference_ns_; }
  // For ages; `newest_ns` is the start of the newest window that is stored.
  int64_t now_ns(int64_t newest_ns) const;
  // What two of the three say: the clock, the time that has passed, what comes in. For what can be made good again.
  int64_t agreed_ns(int64_t newest_ns) const;
  // How far the clock is ahead of what is believed of it; negative: behind.
  int64_t ahead_ns() const { return wall_ns_ - reference_ns_; }
  uint64_t jumps() const { return jumps_; }

 private:
  int64_t reference_ns_;
  int64_t wall_ns_;
  int64_t running_ns_;
  uint64_t jumps_ = 0;
};

}  // namespace atys::store

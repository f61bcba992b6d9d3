// SPDX-License-Identifier: Apache-2.0
// What a recording should do next, by what it has seen so far: the rule behind `capture --plan adaptive`. Pure: tables in,
// decision out.
//
// The answer would not change any more when three things hold:
//  1. the hot functions are the same in both halves of the recording, as far as chance allows;
//  2. their shares are known to two points, so that their order is settled but for ties;
//  3. the hottest function has enough samples to tell its hottest lines apart.
// Until then time and rate are spent on the first of them that fails.
#pragma once

#include <string>

#include "reduce/top.h"

namespace atys::reduce {

// What was seen, by function; halves are by time.
struct PassEvidence {
  Top whole;
  Top first_half;
  double seconds = 0;
  double target_cpu_seconds = 0;
  double ready_seconds = 0;    // it would have run, and had no CPU: that is no waiting of its own
  double hz = 0;               // that was granted, at the end
  double highest_hz = 0;       // that may be asked for
  double seconds_left = 0;     // of the budget
  bool can_see_waits = false;  // waits are not recorded yet, and could be
  bool is_of_waits = false;    // a table of waits: few long ones are all there is, and a rate changes nothing
};

enum class PassKind { Stop, Longer, Finer, Lines, Waits };

struct NextPass {
  PassKind kind = PassKind::Stop;
  double seconds = 0;  // of the pass; 0: stop
  double hz = 0;
  std::string why;
};

NextPass next_pass(const PassEvidence& evidence);

// What came to a table since an earlier one of the same recording.
Top since(const Top& whole, const Top& earlier);

}  // namespace atys::reduce

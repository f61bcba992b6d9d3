// SPDX-License-Identifier: Apache-2.0
// The threads of a Firefox profile, each with its samples along a time line.
#pragma once

#include <cstdint>

#include "base/json.h"
#include "format/firefox/code_tables.h"
#include "profile/profile.h"

namespace atys::format::firefox {

struct SampleClock {
  int64_t start_ns = 0;    // Unix time that sample times count from
  double interval_ms = 1;  // between samples, and where samples have no times, what stands in for them
  double end_ms = 0;       // of the recording, after the start; 0: not known. The viewer hides what lies past it
};

SampleClock sample_clock(const Profile& profile);

// The member "threads": one per process and thread that the labels name.
void write_threads(JsonWriter& json, const Profile& profile, size_t column, const SampleClock& clock, CodeTables& code);

}  // namespace atys::format::firefox

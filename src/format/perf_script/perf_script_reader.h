// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/byte_source.h"
#include "base/result.h"
#include "profile/profile.h"

namespace atys::format::perf_script {

struct ReadPlan {
  size_t threads = 0;  // 0: as many as there are processors
  size_t piece_bytes = size_t{4} << 20;
  bool keeps_times = false;
};

// Reads the text that `perf script` prints. Samples with equal stack, process, thread and event become one row; when each
// was taken is kept only if the plan says so, else the time from first to last. Without, memory depends on how many distinct
// stacks there are, not on the length. Times are perf's: since the machine was started.
Result<Profile> read_perf_script(ByteSource& source, const ReadPlan& plan = {});

// Whether `head` begins with perf's header, or with a sample.
bool looks_like_perf_script(std::string_view head);

}  // namespace atys::format::perf_script

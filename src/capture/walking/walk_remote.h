// SPDX-License-Identifier: Apache-2.0
// Walks the frames of an interpreter from outside, by the same table as the sampler in the kernel (walker_records.h), where
// that sampler cannot run. The process goes on meanwhile: a walk is taken for whole only if the innermost frame is the same
// after it as before.
#pragma once

#include <cstdint>
#include <vector>

#include "capture/native/walker_records.h"
#include "linux/memory_reader.h"

namespace atys::capture {

enum class RemoteWalk {
  Whole,
  Cut,   // too deep: the outermost frames are missing
  Torn,  // it changed under our eyes each time, or cannot be what it should be: `frames` is empty
  Idle,  // there is no frame
};

constexpr int kWalkAttempts = 4;

// What a path leads to; 0: nowhere.
uint64_t follow_remote(linux::MemoryReader& memory, uint64_t at, const atys_path& path);

// Frames of the thread with that state, innermost first, as the sampler would have handed them over. What was in `frames` is
// replaced.
RemoteWalk walk_remote(linux::MemoryReader& memory, const atys_walker& walker, uint64_t state,
                       std::vector<atys_walked>& frames);

// The same for one thread again and again: most frames are where they were the last time, so they are all read with one
// system call, and only those that are new one by one.
class RemoteWalker {
 public:
  RemoteWalk walk(linux::MemoryReader& memory, const atys_walker& walker, uint64_t state, std::vector<atys_walked>& frames);

 private:
  std::vector<uint64_t> last_;  // where the frames of the last walk were, innermost first
};

}  // namespace atys::capture

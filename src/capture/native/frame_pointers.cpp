// SPDX-License-Identifier: Apache-2.0
#include "capture/native/frame_pointers.h"

#include <cstring>

namespace atys::capture::native {

namespace {
constexpr size_t kDeepest = 512;
}  // namespace

void follow_frame_pointers(RawSample& sample, std::vector<uint64_t>& chain) {
  const auto word = [&](uint64_t address) -> uint64_t {
    const uint64_t start = sample.registers.sp;
    if (address < start || address - start + sizeof(uint64_t) > sample.stack_copy.size()) return 0;
    uint64_t value = 0;
    std::memcpy(&value, &sample.stack_copy[address - start], sizeof value);
    return value;
  };
  chain.assign(1, sample.registers.pc);
  // Frames lie one above the other.
  for (uint64_t frame = sample.registers.fp; frame != 0 && chain.size() < kDeepest;) {
    const uint64_t caller = word(frame + sizeof(uint64_t));
    if (caller == 0) break;
    chain.push_back(caller);
    const uint64_t next = word(frame);
    if (next <= frame) break;
    frame = next;
  }
#if defined(__x86_64__)
  sample.registers.lr = word(sample.registers.sp);
#endif
  sample.user_frames = chain;
  sample.stack_copy = {};
  sample.has_copy = false;
}

}  // namespace atys::capture::native

// SPDX-License-Identifier: Apache-2.0
// Memory of the process that we are in, of which nobody knows whether it is there: stacks end, and what an interpreter
// points to may be gone. To ask first is cheap: the Linux kernel checks an address that it is to read a set of signals from,
// before it finds that it is to do nothing with it.
#pragma once

#include "capture/preload/library/system.h"

namespace atys::preload {

constexpr uint64_t kPage = 4096;  // no machine has smaller ones

class OwnMemory {
 public:
  // False: not all of it is there.
  bool read(void* into, uint64_t address, size_t size) {
    if (address < kPage || address + size < address) return false;
    for (uint64_t page = address & ~(kPage - 1); page < address + size; page += kPage)
      if (!is_there(page)) return false;
    copy_bytes(into, reinterpret_cast<const void*>(address), size);
    return true;
  }
  // As much as there is in one piece, from the beginning. Returns how much.
  size_t read_some(void* into, uint64_t address, size_t size) {
    uint64_t end = address;
    while (end < address + size && is_there(end & ~(kPage - 1))) end = (end & ~(kPage - 1)) + kPage;
    if (end > address + size) end = address + size;
    copy_bytes(into, reinterpret_cast<const void*>(address), end - address);
    return end - address;
  }

 private:
  static constexpr size_t kKnown = 32;

  bool is_there(uint64_t page) {
    uint64_t& known = known_[page / kPage % kKnown];
    if (known == page) return true;
    constexpr long kNoSuchThing = -1;  // to do with the set
    constexpr long kBadAddress = -14;
    if (call(SYS_rt_sigprocmask, kNoSuchThing, static_cast<long>(page), 0, sizeof(SignalSet)) == kBadAddress) return false;
    known = page;
    return true;
  }

  uint64_t known_[kKnown]{};
};

}  // namespace atys::preload

// SPDX-License-Identifier: Apache-2.0
// The ring through which the kernel hands over the records of a perf event. One reader, no locks.
#pragma once

#include <linux/perf_event.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"

namespace atys::linux {

class PerfRing {
 public:
  // `pages` is a power of two. The event stays the caller's; further events may be sent here with `redirect`.
  static Result<PerfRing> map(int event_fd, size_t pages);

  // Lets `event_fd`, an event on the same CPU, write into this ring too.
  Result<> redirect(int event_fd) const;

  // Hands over every record that is there, oldest first; the span is valid during the call only. From one on that says of
  // its size what cannot be, all is passed over.
  void drain(const std::function<void(std::span<const std::byte>)>& take);

  bool is_empty() const;

 private:
  struct Unmap {
    size_t bytes = 0;
    void operator()(void* start) const;
  };
  PerfRing(void* start, size_t bytes, size_t page, int fd);

  perf_event_mmap_page* header() const { return static_cast<perf_event_mmap_page*>(memory_.get()); }
  std::span<const std::byte> contiguous(uint64_t at, size_t size);

  std::unique_ptr<void, Unmap> memory_;
  const std::byte* data_ = nullptr;
  size_t data_bytes_ = 0;
  int fd_ = -1;
  std::vector<std::byte> joined_;  // a record that wraps around the end
};

}  // namespace atys::linux

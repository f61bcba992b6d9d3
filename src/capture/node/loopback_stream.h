// SPDX-License-Identifier: Apache-2.0
// A TCP connection to a port on the loopback interface of another process's network namespace. Never blocks longer than the
// time given.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"

namespace atys::capture::node {

// A moment of CLOCK_MONOTONIC.
struct Deadline {
  uint64_t at_ns = 0;

  static Deadline in_ms(uint64_t ms);
  bool is_over() const;
  int left_ms() const;  // for poll(); 0 when it is over
};

class LoopbackStream {
 public:
  // IPv4 first, then IPv6 (`is_ipv6`): an inspector listens on one of both.
  static Result<LoopbackStream> connect(pid_t pid, uint16_t port, bool is_ipv6, Deadline deadline);

  Result<> write(std::string_view bytes, Deadline deadline);
  void end_writing();  // the other side sees the end after what was written
  // Appends what is there, at least a byte. An error when the other side has closed.
  Result<> read_some(std::string& into, Deadline deadline);
  // The same without waiting; says how many bytes there were.
  Result<size_t> read_available(std::string& into);
  int fd() const { return fd_.get(); }  // for poll()
  uint16_t local_port() const;          // ours; 0: not to be had

 private:
  explicit LoopbackStream(UniqueFd fd) : fd_(std::move(fd)) {}
  Result<> wait_for(short events, Deadline deadline) const;
  UniqueFd fd_;
};

// Waits until `holds` is true; false when the deadline came first. Steps grow with the time that it takes: looking may cost
// more than what is looked for, e.g. tables of the whole system.
template <typename Holds>
bool wait_until(Deadline deadline, const Holds& holds) {
  constexpr useconds_t kFirstStepUs = 4000;
  constexpr useconds_t kLongestStepUs = 100'000;
  for (useconds_t step = kFirstStepUs; !holds(); step = std::min(step + step / 4, kLongestStepUs)) {
    if (deadline.is_over()) return false;
    ::usleep(step);
  }
  return true;
}

}  // namespace atys::capture::node

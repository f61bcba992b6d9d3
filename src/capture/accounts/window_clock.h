// SPDX-License-Identifier: Apache-2.0
// When a recording began, and where its windows do: each where the one before ended, although it is begun only when that one
// has been handed over, which takes a while. Pure: it is told what time it is.
#pragma once

#include <cstdint>

namespace atys::capture {

class WindowClock {
 public:
  // Of the recording, and of its first window.
  void begin(uint64_t now_ns, uint64_t unix_ns) {
    began_ns_ = now_ns;
    begin_window(now_ns, now_ns, unix_ns);
  }
  void begin_window(uint64_t at_ns, uint64_t now_ns, uint64_t unix_ns) {
    window_began_ns_ = at_ns;
    window_opened_ns_ = now_ns;
    window_began_unix_ns_ = static_cast<int64_t>(unix_ns - (now_ns - at_ns));
  }

  uint64_t since_begin_ns(uint64_t now_ns) const { return now_ns - began_ns_; }
  // The moment so long after the recording began.
  uint64_t at(uint64_t elapsed_ns) const { return began_ns_ + elapsed_ns; }

  uint64_t window_began_ns() const { return window_began_ns_; }
  int64_t window_began_unix_ns() const { return window_began_unix_ns_; }
  // How long the window has been going on by that moment.
  uint64_t window_ns(uint64_t elapsed_ns) const { return at(elapsed_ns) - window_began_ns_; }
  // How long it is since the window before was handed over.
  uint64_t since_opened_ns(uint64_t now_ns) const { return now_ns - window_opened_ns_; }

 private:
  uint64_t began_ns_ = 0;
  uint64_t window_began_ns_ = 0;
  uint64_t window_opened_ns_ = 0;
  int64_t window_began_unix_ns_ = 0;
};

}  // namespace atys::capture

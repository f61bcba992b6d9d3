// SPDX-License-Identifier: Apache-2.0
// Long work that may be done slowly rests now and then: whoever may use a hundredth of a core reads the tables of a large
// binary over some seconds, not at once. Only where the thread has been given a Breather; else it costs next to nothing.
#pragma once

#include <cstdint>
#include <functional>

namespace atys {

// For this thread, as long as it lives; `rest` is called between two pieces of work, and returns when it may go on.
class Breather {
 public:
  explicit Breather(std::function<void()> rest);
  ~Breather();
  Breather(const Breather&) = delete;
  Breather& operator=(const Breather&) = delete;

 private:
  friend void breathe();
  std::function<void()> rest_;
  Breather* before_;
};

// To be called where nothing is locked that others wait for, about as often as some hundred microseconds go by.
void breathe();

// The same in a loop over things so small that each is not worth a look.
class BreathingLoop {
 public:
  void next() {
    if (++count_ % kAtOnce == 0) breathe();
  }

 private:
  static constexpr uint32_t kAtOnce = 512;
  uint32_t count_ = 0;
};

}  // namespace atys

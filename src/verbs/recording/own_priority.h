// SPDX-License-Identifier: Apache-2.0
// Our priority, put back where it was at the end.
#pragma once

#include <sys/resource.h>

namespace atys::verbs {

class OwnPriority {
 public:
  OwnPriority() : before_(::getpriority(PRIO_PROCESS, 0)) {}
  ~OwnPriority() { (void)::setpriority(PRIO_PROCESS, 0, before_); }
  OwnPriority(const OwnPriority&) = delete;
  OwnPriority& operator=(const OwnPriority&) = delete;

  // To the highest, where we have the right.
  void raise() const { (void)::setpriority(PRIO_PROCESS, 0, -20); }
  int before() const { return before_; }

 private:
  int before_;
};

}  // namespace atys::verbs

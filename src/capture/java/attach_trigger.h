// SPDX-License-Identifier: Apache-2.0
// The file that tells a HotSpot machine what SIGQUIT means: ".attach_pidN", owned by its user, in its /tmp or its working
// directory. Gone with this object.
#pragma once

#include <array>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"
#include "linux/process.h"

namespace atys::capture::java {

class AttachTrigger {
 public:
  // In the first of `folders` (they outlive this) that takes it. Called with the identity of the process.
  static Result<AttachTrigger> create(const std::array<const UniqueFd*, 2>& folders, const linux::ProcessInfo& info);

  AttachTrigger(AttachTrigger&& other) noexcept;
  AttachTrigger& operator=(AttachTrigger&&) = delete;
  ~AttachTrigger();

  bool is_signal_pending() const;
  void leave() { is_ours_ = false; }  // do not remove it

 private:
  AttachTrigger(int folder, std::string name, pid_t pid, bool is_ours)
      : folder_(folder), name_(std::move(name)), pid_(pid), is_ours_(is_ours) {}
  int folder_ = -1;  // borrowed
  std::string name_;
  pid_t pid_ = 0;
  bool is_ours_ = false;
};

}  // namespace atys::capture::java

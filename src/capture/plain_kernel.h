// SPDX-License-Identifier: Apache-2.0
// A runtime that we recognise and that the native kernel shows as well as we can: compiled code, or a language that has no
// kernel of its own yet. It says what is missing.
#pragma once

#include "capture/profiling_kernel.h"

namespace atys::capture {

class PlainKernel final : public ProfilingKernel {
 public:
  PlainKernel(std::string_view name, RuntimeSigns signs, std::string_view limits)
      : name_(name), signs_(std::move(signs)), limits_(limits) {}

  std::string_view name() const override { return name_; }
  const RuntimeSigns& signs() const override { return signs_; }
  Outlook outlook(pid_t, const DetectedRuntime&) const override {
    return {.shows = "native and kernel frames", .limits = std::string(limits_), .is_native_only = true};
  }
  Result<Attachment> attach(const AttachRequest&) const override {
    Attachment attachment;
    if (!limits_.empty()) attachment.notes.push_back(std::string(signs_.name) + ": " + std::string(limits_));
    return attachment;
  }

 private:
  std::string_view name_;
  RuntimeSigns signs_;
  std::string_view limits_;
};

}  // namespace atys::capture

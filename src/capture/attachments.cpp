// SPDX-License-Identifier: Apache-2.0
#include "capture/attachments.h"

#include <fmt/format.h>

#include <algorithm>

#include "capture/detect.h"

namespace atys::capture {

namespace {
constexpr size_t kMostNotes = 20;  // a host has hundreds of processes that all lack the same
}

void Attachments::note(std::string text) {
  if (told_.size() >= kMostNotes || std::ranges::find(told_, text) != told_.end()) return;
  told_.push_back(text);
  notes_.push_back(std::move(text));
}

bool Attachments::may_bring_runtime(std::string_view path) const { return is_runtime_file(path); }

native::ReaderFinder::Found Attachments::find_reader(pid_t pid) {
  Found found;
  const auto runtimes = detect_runtimes(pid);
  if (!runtimes.ok()) return found;
  for (const DetectedRuntime& runtime : *runtimes) {
    auto attached = find_kernel(runtime.kernel)->attach({.pid = pid, .runtime = &runtime, .plan = &plan_});
    const std::string name = runtime.name + (runtime.version.empty() ? "" : " " + runtime.version);
    if (!attached.ok()) {
      found.ask_again |= attached.error().code == ErrorCode::Unavailable;
      if (attached.error().code != ErrorCode::Unavailable)
        note(fmt::format("process {} ({}): {}: native frames only", pid, name, attached.error().message));
      continue;
    }
    for (std::string& text : attached->notes) note(std::move(text));
    if (attached->reader == nullptr) continue;
    ++runtimes_[name];
    if (found.reader == nullptr) found.reader = std::move(attached->reader);
  }
  return found;
}

}  // namespace atys::capture

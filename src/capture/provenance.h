// SPDX-License-Identifier: Apache-2.0
// What a profile says about where it comes from: the machine, the processes, their programs, our settings and what we cost.
#pragma once

#include <map>
#include <vector>

#include "capture/native/code_modules.h"
#include "capture/recording.h"
#include "linux/process.h"

namespace atys::capture {

class Provenance {
 public:
  // Looks at a process while it is there; the first ones only, a host has thousands.
  void note_process(pid_t pid);
  std::vector<pid_t> processes() const;
  void describe_processes(Profile& profile) const;
  // The programs of those processes: build id and SHA-256.
  void describe_files(const native::CodeModules& modules, Profile& profile) const;

 private:
  std::map<pid_t, linux::ProcessInfo> processes_;
};

void describe_recording(const RecordingPlan& plan, const std::string& tier, Profile& profile);
void describe_use(const RecordingPlan& plan, const RecordingUse& use, Profile& profile);

}  // namespace atys::capture

// SPDX-License-Identifier: Apache-2.0
// A process with a HotSpot machine in it, as it looks from outside: who it is, which version, and the flags that decide
// what can be done with it. Only looks.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "capture/target/detect.h"
#include "linux/namespaces.h"
#include "linux/process.h"

namespace atys::capture::java {

struct JavaProcess {
  linux::ProcessInfo info;
  linux::ForeignNamespaces foreign;
  std::string version;                // "17.0.15+6"; empty: unknown
  std::map<std::string, bool> flags;  // of kFlags, those that are known

  // The number that people call a release by: 8, 11, 17 …; 0: unknown.
  int release() const;
  // Whether a switch is on; `otherwise` where nobody can tell.
  bool has(std::string_view flag, bool otherwise = false) const;
};

inline constexpr std::string_view kDisableAttach = "DisableAttachMechanism";
inline constexpr std::string_view kFramePointers = "PreserveFramePointer";
inline constexpr std::string_view kDynamicAgents = "EnableDynamicAgentLoading";
inline constexpr std::string_view kExactPlaces = "DebugNonSafepoints";
inline constexpr std::string_view kReducedSignals = "ReduceSignalUsage";  // -Xrs

Result<JavaProcess> look_at_java(pid_t pid, const DetectedRuntime& runtime);

// "1.8.0_181-b13" → 8, "17.0.15+6" → 17, "26-ea" → 26; 0: no version.
int release_of(std::string_view version);

// Switches that stand in the words of a command line or of JAVA_TOOL_OPTIONS: the last one counts.
std::map<std::string, bool> flags_in(const std::vector<std::string>& words);

}  // namespace atys::capture::java

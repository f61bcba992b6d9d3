// SPDX-License-Identifier: Apache-2.0
// async-profiler on this computer: libasyncProfiler.so, as it was installed or inside the jar that Maven fetched. We do not
// bring it along; a person decides to have it. It is looked for in this order:
//   ATYS_ASYNC_PROFILER      a library, a jar, or a folder with one of them
//   ATYS_HOME/async-profiler
//   /usr/lib, /usr/local/lib, /opt/async-profiler*
//   ~/.m2                    tools.profiler:async-profiler, the newest
// What is loaded into a process of another user must not come from just anybody: the file has to be ours or root's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace atys::capture::java {

inline constexpr const char* kMavenCoordinates = "tools.profiler:async-profiler:4.5";
inline constexpr const char* kMavenCommand = "mvn dependency:get -Dartifact=tools.profiler:async-profiler:4.5";

struct AgentLibrary {
  std::string path;  // of the library, or of the jar that it is in
  bool is_in_jar = false;
  Bytes content;  // the library itself

  std::string place() const { return is_in_jar ? "in " + path : path; }
};

// Where to look; what the environment says, if nothing else is said.
struct AgentPlaces {
  std::string chosen;                // ATYS_ASYNC_PROFILER: if it is there, nothing else is looked at
  std::vector<std::string> folders;  // of installed libraries and jars
  std::string maven;                 // the repository
  static AgentPlaces of_environment();
};

// For a machine (EM_X86_64, EM_AARCH64). NotFound, with the way to get it, where there is none.
Result<AgentLibrary> find_agent_library(uint16_t machine, const AgentPlaces& places);

// "4.10" is newer than "4.9".
bool is_newer(const std::string& version, const std::string& than);

}  // namespace atys::capture::java

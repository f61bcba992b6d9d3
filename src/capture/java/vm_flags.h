// SPDX-License-Identifier: Apache-2.0
// Flags of a HotSpot machine (-XX:…) as they are in force, read from its memory: libjvm describes its own structures in
// gHotSpotVMStructs. Nothing is asked of the process; what it was started with can come from a file, an environment
// variable or the machine's own choice, so the command line alone would not tell.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "capture/target/process_files.h"

namespace atys::capture::java {

// Those of `names` that are switches (on or off) and that this machine knows.
Result<std::map<std::string, bool>> read_vm_flags(pid_t pid, const std::string& libjvm,
                                                  const std::vector<std::string_view>& names);

}  // namespace atys::capture::java

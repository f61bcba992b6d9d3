// SPDX-License-Identifier: Apache-2.0
#include "capture/java/version.h"
#include "capture/plain_kernel.h"

namespace atys::capture {

std::unique_ptr<ProfilingKernel> create_java_kernel() {
  return std::make_unique<PlainKernel>(
      "java",
      RuntimeSigns{.name = "Java (HotSpot)",
                   .files = {"libjvm.so"},
                   .symbols = {"gHotSpotVMStructs"},
                   .version = &java::version_of_file},
      "frames of Java methods are not resolved: compiled ones are addresses unless the process writes a perf map, "
      "interpreted ones "
      "are the interpreter");
}

}  // namespace atys::capture

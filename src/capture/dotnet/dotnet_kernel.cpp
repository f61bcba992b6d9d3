// SPDX-License-Identifier: Apache-2.0
#include "capture/plain_kernel.h"

namespace atys::capture {

std::unique_ptr<ProfilingKernel> create_dotnet_kernel() {
  return std::make_unique<PlainKernel>(
      "dotnet",
      RuntimeSigns{.name = ".NET", .files = {"libcoreclr.so"}, .symbols = {"coreclr_initialize", "DotNetRuntimeInfo"}},
      "frames of .NET methods are not resolved: compiled ones are addresses unless the process writes a perf map "
      "(DOTNET_PerfMapEnabled=1)");
}

}  // namespace atys::capture

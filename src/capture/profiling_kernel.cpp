// SPDX-License-Identifier: Apache-2.0
#include "capture/profiling_kernel.h"

namespace atys::capture {

const ProfilingKernel* find_kernel(std::string_view name) {
  for (const auto& kernel : profiling_kernels())
    if (kernel->name() == name) return kernel.get();
  return nullptr;
}

}  // namespace atys::capture

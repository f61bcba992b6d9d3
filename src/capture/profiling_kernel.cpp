// SPDX-License-Identifier: Apache-2.0
#include "capture/profiling_kernel.h"

namespace atys::capture {

const ProfilingKernel* find_kernel(std::string_view name) {
  for (const auto& kernel : profiling_kernels())
    if (kernel->name() == name) return kernel.get();
  return nullptr;
}

std::optional<JitName> split_jit_name(std::string_view name) {
  for (const auto& kernel : profiling_kernels())
    if (auto split = kernel->split_jit_name(name)) return split;
  return {};
}

}  // namespace atys::capture

// SPDX-License-Identifier: Apache-2.0
#include "capture/plain_kernel.h"

namespace atys::capture {

std::unique_ptr<ProfilingKernel> create_erlang_kernel() {
  return std::make_unique<PlainKernel>("erlang",
                                       RuntimeSigns{.name = "Erlang (BEAM)", .symbols = {"erl_start", "enif_make_atom"}},
                                       "frames of Erlang functions are not resolved: compiled ones are addresses unless the "
                                       "process writes a perf map (+JPperf true)");
}

}  // namespace atys::capture

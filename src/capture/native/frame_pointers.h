// SPDX-License-Identifier: Apache-2.0
// The chain of frame pointers in a copy of a stack, for programs that keep them and have no unwind rules: Go.
#pragma once

#include <vector>

#include "capture/native/sample_source.h"

namespace atys::capture::native {

// Puts the chain, leaf first, in the place of the copy. `chain` holds it.
void follow_frame_pointers(RawSample& sample, std::vector<uint64_t>& chain);

}  // namespace atys::capture::native

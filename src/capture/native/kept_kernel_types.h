// SPDX-License-Identifier: Apache-2.0
// The types of the running kernel that a BPF object reads, kept on disk from one recording to the next.
#pragma once

#include <span>
#include <string>

#include "base/bytes.h"

namespace atys::capture::native {

// Empty: neither kept nor to be had. An empty folder: nothing is kept, so that to cut them down is not worth it.
Bytes kept_kernel_types(std::span<const std::byte> object_image, const std::string& cache_folder);

}  // namespace atys::capture::native

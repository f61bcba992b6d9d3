// SPDX-License-Identifier: Apache-2.0
// The compiled BPF programs, as bytes inside this program.
#pragma once

#include <cstddef>
#include <span>

namespace atys::capture::native {

std::span<const std::byte> sampler_object();

}  // namespace atys::capture::native

// SPDX-License-Identifier: Apache-2.0
// The types of the running kernel, cut down to those that a BPF object reads and to the fields that it names. That is all
// that the loader needs to find out where the fields are, in hundreds of bytes; to read and search the kernel's own 5 MB of
// types takes it 20 ms each time.
#pragma once

#include <span>

#include "base/bytes.h"
#include "base/result.h"

struct btf;

namespace atys::linux {

// For BpfObject::open, with the image of that object and on this kernel only.
Result<Bytes> cut_kernel_types(std::span<const std::byte> object_image);

// Of each structure in `wanted` that `all` has too, the fields that `wanted` names. Fields of nameless structures within are
// made the structure's own.
Result<Bytes> cut_types(const btf& wanted, const btf& all);

}  // namespace atys::linux

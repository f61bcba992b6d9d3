// SPDX-License-Identifier: Apache-2.0
// The number by which code is known again (atys_cookie), read from outside: the same that the sampler in the kernel makes in
// the moment of a sample.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "capture/native/walker_records.h"
#include "linux/memory_reader.h"

namespace atys::capture {

inline uint64_t code_of(const atys_walked& walked) { return walked.code & ATYS_ADDRESS & ~ATYS_CODE_TAGS; }

// 0: some of it cannot be read, or code has no cookie.
uint64_t read_cookie(linux::MemoryReader& memory, const atys_cookie& cookie, uint64_t code);

// What the sampler needs to know of code that has lasted; nothing: it is not there any more.
std::optional<atys_lasting> read_lasting(linux::MemoryReader& memory, const atys_cookie& cookie, const atys_walked& walked);

// Those of all walked frames, with as few system calls as for one.
void read_cookies(linux::MemoryReader& memory, const atys_cookie& cookie, std::span<atys_walked> walk);

}  // namespace atys::capture

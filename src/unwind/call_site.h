// SPDX-License-Identifier: Apache-2.0
// Whether the code in front of an address is a call, so that the address may be a return address.
#pragma once

#include <cstddef>
#include <span>

#include "unwind/rule.h"

namespace atys::unwind {

// `before` ends where the address is.
bool is_after_call(Machine machine, std::span<const std::byte> before);

}  // namespace atys::unwind

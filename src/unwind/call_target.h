// SPDX-License-Identifier: Apache-2.0
// Whom the call in front of a return address calls: what tells a return address that lies about on a stack from that of the
// function that we are in.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "unwind/rule.h"
#include "unwind/unwinder.h"

namespace atys::unwind {

struct Call {
  bool is_call = false;
  std::optional<uint64_t> target;  // nothing: it is in a register, or nobody can tell
};
Call call_before(Machine machine, uint64_t return_address, Surroundings& surroundings);

// Where code at this address jumps to without doing anything else, as the slots of a procedure linkage table do; else the
// address itself.
uint64_t follow_jump(Machine machine, uint64_t address, Surroundings& surroundings);

// Somewhere near, code from this address on jumps to such a place, or to nobody can tell where: it is not the code that a
// call was made of that returns for it.
bool may_jump(Machine machine, uint64_t from, const std::function<bool(uint64_t)>& is_there, Surroundings& surroundings);

}  // namespace atys::unwind

// SPDX-License-Identifier: Apache-2.0
// The few DWARF expressions that compilers and assembly writers put into call frame information. All others are Unsupported.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "unwind/rule.h"

namespace atys::unwind {

struct Expression {
  Rule::Cfa kind = Rule::Cfa::Unsupported;  // SpPlus, FpPlus, AtSpPlus, AtFpPlus, Plt or Unsupported
  int32_t offset = 0;
  int8_t extra = 0;
};

Expression read_expression(std::span<const std::byte> bytes, Machine machine);

}  // namespace atys::unwind

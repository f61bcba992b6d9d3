// SPDX-License-Identifier: Apache-2.0
// What a runtime does on its own account, where no code of the program is on the stack: one word for each kind of work, so
// that the hundred functions of a collector or a compiler are one row.
#pragma once

#include <span>
#include <string_view>

namespace atys::reduce {

inline constexpr std::string_view kOtherRuntimeWork = "[other runtime work]";

// "[garbage collection]", "[compiling code]", "[scheduling]", "[starting and ending]", else kOtherRuntimeWork. The names are
// of one stack, leaf first.
std::string_view runtime_work(std::span<const std::string_view> leaf_first);

}  // namespace atys::reduce

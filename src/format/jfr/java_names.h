// SPDX-License-Identifier: Apache-2.0
// Names as people write them, from names as the virtual machine keeps them.
#pragma once

#include <string>
#include <string_view>

namespace atys::format::jfr {

// java/lang/String → java.lang.String, [[J → long[][], [Lorg/x/Y; → org.x.Y[]. Without the addresses of hidden classes.
std::string class_name(std::string_view internal);

// STATE_SLEEPING → sleeping.
std::string state_name(std::string_view state);

// Symbols from outside may be of any length, and many methods may share one.
inline constexpr size_t kMaxNameBytes = size_t{16} << 10;

}  // namespace atys::format::jfr

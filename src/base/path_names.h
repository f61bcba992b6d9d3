// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace atys {

// What stands behind the last slash: "libc.so.6" of "/usr/lib/libc.so.6". All of it where there is none.
constexpr std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace atys

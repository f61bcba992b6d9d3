// SPDX-License-Identifier: Apache-2.0
// From the symbols and modules that perf prints to names for people.
#pragma once

#include <string>
#include <string_view>

namespace atys::format::perf_script {

// As perf prints it, parameters and all: overloads are different functions. Java classes go without the signs of their type
// descriptor: "Lio/netty/channel/nio/NioEventLoop;.run" → "io/netty/channel/nio/NioEventLoop.run".
std::string tidy_symbol(std::string_view symbol);

// What stands for the functions of a module without symbols: "[libc.so.6]"; "[unknown]" where the module is unknown too.
std::string name_of_unknown(std::string_view module);

// kernel, jit, inlined or "".
std::string_view kind_of_module(std::string_view module);

}  // namespace atys::format::perf_script

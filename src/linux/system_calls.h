// SPDX-License-Identifier: Apache-2.0
// What the numbers of system calls mean. Each machine has its own up to 423, and all have the same from there on.
#pragma once

#include <cstdint>
#include <string_view>

namespace atys::linux {

enum class CallNumbers : uint8_t { X86_64, Aarch64 };

#if defined(__x86_64__)
constexpr CallNumbers kOwnCallNumbers = CallNumbers::X86_64;
#else
constexpr CallNumbers kOwnCallNumbers = CallNumbers::Aarch64;
#endif

// As the kernel's headers have it: "read", "futex". Empty: there is none with that number, or it is newer than we are.
std::string_view system_call_name(CallNumbers numbers, uint64_t number);

}  // namespace atys::linux

// SPDX-License-Identifier: Apache-2.0
// Positions of the registers that unwinding needs in PERF_SAMPLE_REGS_USER (the kernel's asm/perf_regs.h). -1: there is
// none.
#pragma once

#include <cstdint>

namespace atys::linux {

#if defined(__x86_64__)
constexpr int kPerfRegisterFp = 6;
constexpr int kPerfRegisterSp = 7;
constexpr int kPerfRegisterPc = 8;
constexpr int kPerfRegisterLr = -1;
constexpr int kPerfRegisterBx = 1;
constexpr uint64_t kPerfRegisterMask = 0x1c2;
#elif defined(__aarch64__)
constexpr int kPerfRegisterFp = 29;
constexpr int kPerfRegisterLr = 30;
constexpr int kPerfRegisterSp = 31;
constexpr int kPerfRegisterPc = 32;
constexpr int kPerfRegisterBx = -1;
constexpr uint64_t kPerfRegisterMask = 0x1e0000000;
#else
#error "Atys runs on x86_64 and aarch64"
#endif

}  // namespace atys::linux

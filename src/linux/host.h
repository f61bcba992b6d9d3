// SPDX-License-Identifier: Apache-2.0
// The machine that we run on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace atys::linux {

struct Host {
  std::string name;
  std::string kernel_release;  // "6.1.0-18-amd64"
  std::string boot_id;         // one for each time the machine was started; empty: hidden
  std::string architecture;    // "x86_64", "aarch64"
  std::vector<int> cpus;       // online, in rising order; they may have holes
};

// "0-3,5,7-8" as in /sys/devices/system/cpu/online. At most 65,536 CPUs.
Result<std::vector<int>> parse_cpu_list(std::string_view text);

// Which CPUs are online; falls back to counting where /sys is hidden.
std::vector<int> online_cpus();
// How many of them we may be on, and what we start; at least one.
size_t usable_cpus();

// How far the system's ticks are apart; 0: not told.
uint64_t tick_ns();

Result<Host> read_host();

// The digits of the boot id, for names of files; empty: hidden.
std::string boot_digits();

}  // namespace atys::linux

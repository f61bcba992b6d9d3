// SPDX-License-Identifier: Apache-2.0
// Which CPUs are there.
#pragma once

#include <string_view>
#include <vector>

namespace atys::linux {

// "0-3,8" as the kernel writes it; what makes no sense is left out.
std::vector<int> parse_cpu_list(std::string_view text);

std::vector<int> online_cpus();

}  // namespace atys::linux

// SPDX-License-Identifier: Apache-2.0
// Instructions counted by running a command in valgrind's callgrind: twenty to fifty times slower, and the same each time.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "linux/measured_run.h"

namespace atys::verbs {

// Of the command and everything that it starts.
Result<uint64_t> count_instructions(const std::vector<std::string>& command, const linux::RunLimits& limits);

// The sum of the lines "Collected : N" of callgrind's log.
uint64_t collected_in(std::string_view log);

}  // namespace atys::verbs

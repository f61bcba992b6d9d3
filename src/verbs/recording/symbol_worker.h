// SPDX-License-Identifier: Apache-2.0
// The process that reads binaries for this one, behind walls (symbolize/jail.h): the same program.
#pragma once

#include <cstdint>
#include <optional>

namespace atys::verbs {

// The exit status, if this process was started to be one.
std::optional<int> run_if_symbol_worker(int argc, char** argv);
// From here on binaries are read by one, which is started when it is first needed. Before there are threads.
void use_symbol_worker();
// The memory of those that are started from now on.
void limit_symbol_worker(uint64_t most_bytes);

}  // namespace atys::verbs

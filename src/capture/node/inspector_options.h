// SPDX-License-Identifier: Apache-2.0
// The port that a process's inspector takes, from the options that it was started with.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace atys::capture::node {

struct InspectorOptions {
  uint16_t port = 9229;         // 0: any that is free
  bool is_open = false;         // --inspect, --inspect-brk, --inspect-wait: open from the start
  bool has_signal_off = false;  // --disable-sigusr1
  bool writes_perf_map = false;
};

// `environment` is "NAME=VALUE"; of it NODE_OPTIONS counts, and the command line before it.
InspectorOptions parse_inspector_options(const std::vector<std::string>& command_line,
                                         const std::vector<std::string>& environment);

}  // namespace atys::capture::node

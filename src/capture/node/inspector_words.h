// SPDX-License-Identifier: Apache-2.0
// What is said to a Node.js process through its inspector, for Runtime.evaluate, in words that all versions since 14 know.
//
// The first thing that a process is told is to close its inspector by itself, soon, unless it is told otherwise: whoever
// opened it may be killed at any moment. What waits for that is one timer, which does not keep the process from ending, and
// one property of `process` that is not listed and goes with it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace atys::capture::node {

struct InspectorPorts {
  uint16_t open = 0;
  uint16_t usual = 0;  // where the next signal is to open it
};

// A module of Node.js itself, as an expression.
std::string builtin_module(std::string_view name);

// In what the process throws where it is in the middle of loading modules of its own: it has to be told again.
inline constexpr std::string_view kLoading = "atys: modules are being loaded";

// To close it so many milliseconds from now; said again, the time begins anew.
std::string deadline(const InspectorPorts& ports, uint64_t ms);
// Only what deadline() has left; nothing where its time was over.
std::string more_time();
// Now.
std::string closing(const InspectorPorts& ports);
// Now, if it is still one of ours: if deadline() was said and its time is not over.
std::string closing_if_ours(const InspectorPorts& ports);

}  // namespace atys::capture::node

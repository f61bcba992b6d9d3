// SPDX-License-Identifier: Apache-2.0
// Why a thread waited, told by the kernel functions that it waited in.
#pragma once

#include <string_view>
#include <vector>

namespace atys::capture::native {

// "lock", "sleep", "poll", "pipe", "network", "disk", "child", "memory" …; "other": none of the known ones. Names leaf
// first.
std::string_view wait_reason(const std::vector<std::string_view>& kernel_functions);

// How many of them are part of our own tracing, or of the switch itself: above the place where the thread waited. Names leaf
// first, empty where there is none.
size_t count_above_the_wait(const std::vector<std::string_view>& kernel_functions);

// The waker was an interrupt: what ran at that moment has nothing to do with the wait.
bool is_interrupt(std::string_view kernel_function);

}  // namespace atys::capture::native

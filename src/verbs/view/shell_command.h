// SPDX-License-Identifier: Apache-2.0
// A command written as text for a shell.
#pragma once

#include <string>
#include <vector>

namespace atys::verbs {

// The shell gives way to the program where the text is one plain program with its arguments: a run is then one process, of
// which the kernel says how long it waited for a CPU.
std::vector<std::string> shell_command(const std::string& text);

// The text again, or the words quoted.
std::string text_of_command(const std::vector<std::string>& command);

}  // namespace atys::verbs

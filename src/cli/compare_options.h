// SPDX-License-Identifier: Apache-2.0
// How two commands are named: what compare and capture --ab share.
#pragma once

#include <string>
#include <vector>

#include "verbs/compare.h"

namespace atys::cli {

// Two texts are commands of a shell; with a lone -- among the words, it divides the words of A from those of B.
Result<> take_commands(const std::vector<std::string>& words, verbs::CompareRequest& request);

// On a terminal: how far it is.
bool show_compare_progress(const verbs::CompareProgress& progress);
void clear_compare_progress();

}  // namespace atys::cli

// SPDX-License-Identifier: Apache-2.0
// What is said to somebody whose words make no call of ours.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/subcommand.h"

namespace atys::cli {

// Instead of a verb: a slip of the fingers, a word of another tool, a file, or an option.
Error no_such_verb(const std::string& word);

// Why a command could not be run, with what to do about it: whoever names what cannot be run may have meant something else.
Error explain_not_run(Error error, const std::vector<std::string>& command);

// What CLI11 found wrong, in our words.
Error usage_error(const CLI::ParseError& error, const Manual& manual);

}  // namespace atys::cli

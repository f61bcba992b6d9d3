// SPDX-License-Identifier: Apache-2.0
// Follow-up commands: exact calls that work when pasted into a shell or made by a client. Names from profiles are quoted so
// that they stay names, and patterns of long names are short and still find them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "verbs/view.h"

namespace atys::verbs {

// For POSIX shells; plain words stay as they are. Bytes that a shell or a terminal could stumble over are not kept: quote
// patterns, not names.
std::string quote_for_shell(std::string_view text);

// So that a regular expression matches the text itself; all printable.
std::string escape_for_pattern(std::string_view text);

// A pattern of bounded length that matches exactly the function, unless its name is long and another begins and ends alike.
std::string pattern_of_function(std::string_view name);

// "atys VERB PROFILE… --form F …" with the options that make the same view.
std::string command_for(std::string_view verb, const std::vector<std::string>& profiles, const View& view);

}  // namespace atys::verbs

// SPDX-License-Identifier: Apache-2.0
// Follow-up questions: what to ask next, as data, and as exact commands that work when pasted into a shell. Names from
// profiles are quoted so that they stay names, and patterns of long names are short and still find them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reduce/common_names.h"
#include "verbs/view/view.h"

namespace atys::verbs {

// For POSIX shells; plain words stay as they are. Bytes that a shell or a terminal could stumble over are not kept: quote
// patterns, not names.
std::string quote_for_shell(std::string_view text);

// So that a regular expression matches the text itself; all printable.
std::string escape_for_pattern(std::string_view text);

// A pattern of bounded length that matches exactly the function, unless its name is long and another begins and ends alike.
std::string pattern_of_function(std::string_view name);

// "atys VERB PROFILE… --form F …" with the options that make the same view; `usual` is the form of who names none.
std::string command_for(std::string_view verb, const std::vector<std::string>& profiles, const View& view,
                        reduce::Form usual = reduce::Form::Table);

enum class Question { Summary, Diff, Link };
const char* to_string(Question question);  // the verb that answers it
// The form of the answer at a shell where none is named. A summary is looked at by people; what changed is what to work on.
reduce::Form usual_form(Question question);

struct FollowUp {
  Question question = Question::Summary;
  std::vector<std::string> profiles = {};  // of a diff: the base, then the new one
  View view = {};
  std::vector<reduce::PathMap> maps = {};  // of a diff
  std::string behind = {};                 // of a link
};

// For people; clients of tools are told calls (present/mcp/follow_up_call.h).
std::string command_of(const FollowUp& follow_up);

}  // namespace atys::verbs

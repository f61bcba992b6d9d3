// SPDX-License-Identifier: Apache-2.0
// Arguments that several tools share.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "present/charged.h"
#include "present/json/answers.h"
#include "present/mcp/tool.h"
#include "present/text/answers.h"
#include "reduce/common_names.h"
#include "verbs/view.h"

namespace atys::present::mcp {

// An answer as both, paid for. The text is what a model is shown and obeys the cap; as JSON, which programs read and whose
// schema has to hold, it may be some times as long.
template <typename Answer>
Result<ToolAnswer> answer_of(Answer& answer, verbs::ChargedCall& call, const std::string& before = "") {
  constexpr size_t kJsonTimes = 4;
  constexpr size_t kLeastJson = 6000;
  const auto cap = bounds_in(answer).cap;
  std::string text = TRY(render_charged(answer, call, [&](const Answer& shown) { return before + text::render(shown); }));
  if (cap) bounds_in(answer).cap = std::max(*cap * kJsonTimes, kLeastJson);
  return ToolAnswer{std::move(text), json::render(answer), {}};
}

// Schemas of `form`, `by`, `top`, `focus`, `ignore`, `value` and `max_tokens`, put beside those of the tool.
Json with_view(Json properties, const std::vector<std::string>& forms);
Result<verbs::View> view_of(const Json& arguments, const ToolContext& context, const std::string& default_form = "table");

// A profile as verbs take it: an id of the library, or a file that the client may read.
Json profile_property(const std::string& description);
Result<std::string> profile_of(const Json& arguments, const char* name, const ToolContext& context);

// "OLD=NEW", some of them: what of the first side is what of the second.
Json map_property();
Result<std::vector<reduce::PathMap>> maps_of(const Json& arguments);

// A program and its arguments, and the folder that they run in.
Json command_property(const std::string& description);
Json folder_property();
// Goes to the folder that `cwd` names, if all commands may run there. We are a process of our own for this one call.
Result<> enter_folder(const Json& arguments, const std::vector<std::vector<std::string>>& commands,
                      const ToolContext& context);

// Follow-up questions as a client of tools can ask them: "atys summary X --form tree" becomes
// profile_summary {"form":"tree","profile":"X"}. What no tool can do is left out.
std::vector<std::string> as_calls(const std::vector<std::string>& commands);

// At least six hexadecimal digits.
bool is_profile_id(const std::string& text);

}  // namespace atys::present::mcp

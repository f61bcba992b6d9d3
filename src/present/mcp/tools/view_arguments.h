// SPDX-License-Identifier: Apache-2.0
// Arguments that several tools share.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "present/charged.h"
#include "present/json/answers.h"
#include "present/json/fleet.h"
#include "present/mcp/follow_up_call.h"
#include "present/mcp/tool.h"
#include "present/text/answers.h"
#include "present/text/fleet.h"
#include "reduce/common_names.h"
#include "reduce/form.h"
#include "verbs/view/view.h"

namespace atys::present::mcp {

// An answer as both, paid for, with follow-ups as calls. The text is what a model is shown and obeys the cap; as JSON, which
// programs read and whose schema has to hold, it may be some times as long. `remarks` come behind the first line.
template <typename Answer>
Result<ToolAnswer> answer_of(Answer& answer, verbs::ChargedCall& call, const std::string& remarks = "") {
  constexpr size_t kJsonTimes = 4;
  constexpr size_t kLeastJson = 6000;
  const auto cap = bounds_in(answer).cap;
  std::string text = TRY(render_charged(answer, call, [&](const Answer& shown) {
    std::string said = text::render(shown, call_of);
    return said.insert(said.find('\n') + 1, remarks);
  }));
  if (cap) bounds_in(answer).cap = std::max(*cap * kJsonTimes, kLeastJson);
  return ToolAnswer{std::move(text), json::render(answer, call_of), {}};
}

// Schemas of the view's fields (verbs/view/view_fields.h), put beside those of the tool. The first of the forms is the
// default.
Json with_view(Json properties, const std::vector<reduce::Form>& forms);
Json max_tokens_property();
// One text where a field takes a list is a list of one.
Json with_lists(const Json& properties, Json arguments);
Result<verbs::View> view_of(const Json& arguments, const ToolContext& context,
                            reduce::Form default_form = reduce::Form::Table);

// A profile as verbs take it: an id of the library, a file that the client may read, or a service of the fleet if he may ask
// it.
Json profile_property(const std::string& description);
Json any_profile_property();
Result<std::string> profile_of(const Json& arguments, const char* name, const ToolContext& context);

// "OLD=NEW", some of them: what of the first side is what of the second.
Json map_property();
Result<std::vector<reduce::PathMap>> maps_of(const Json& arguments);

// A program and its arguments, and the folder that they run in.
Json command_property(const std::string& description);
Json folder_property();
// Goes to the folder that `cwd` names, if all commands may run there. What runs is not told how to ask the controller. We
// are a process of our own for this one call.
Result<> enter_folder(const Json& arguments, const std::vector<std::vector<std::string>>& commands,
                      const ToolContext& context);

// At least six hexadecimal digits.
bool is_profile_id(const std::string& text);

}  // namespace atys::present::mcp

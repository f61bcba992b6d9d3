// SPDX-License-Identifier: Apache-2.0
#include "present/json/answers.h"
#include "present/mcp/tools/view_arguments.h"
#include "present/text/answers.h"
#include "verbs/link.h"

namespace atys::present::mcp {

namespace {

using reduce::Form;

Json text_property(const char* description, size_t longest = 1000) {
  return {{"type", "string"}, {"minLength", 1}, {"maxLength", longest}, {"description", description}};
}

class ProfileLink final : public Tool {
 public:
  ToolDescription describe() const override {
    return {
        .name = "profile_link",
        .title = "What a trace, a span or a request spent",
        .text =
            "What a trace, a span or whatever has a label spent, on which functions, divided by span; or, with behind, "
            "which spans are behind a function. Needs samples that carry ids or labels.",
        .properties = with_view({{"profile", any_profile_property()},
                                 {"trace", text_property("trace id, 32 hexadecimal digits", 32)},
                                 {"span", text_property("span id, 16 hexadecimal digits", 16)},
                                 {"behind", text_property("regular expression: functions whose spans are wanted")},
                                 {"group_by", text_property("how to divide it: thread or label:KEY (default: spans)", 200)}},
                                {Form::Table, Form::Paths, Form::Tree, Form::Lines}),
        .required = {"profile"},
        .verb = "link"};
  }

  Result<ToolAnswer> call(const Json& arguments, const ToolContext& context) const override {
    verbs::LinkRequest request{.profile = TRY(profile_of(arguments, "profile", context)),
                               .trace = arguments.value("trace", std::string()),
                               .span = arguments.value("span", std::string()),
                               .behind = arguments.value("behind", std::string()),
                               .by = arguments.value("group_by", std::string()),
                               .view = TRY(view_of(arguments, context))};
    if (!request.by.empty()) TRY(reduce::parse_dimension(request.by));
    verbs::ChargedCall call = TRY(verbs::charge(context.ledger, "link", request.view));
    verbs::LinkAnswer answer = TRY(verbs::link(request));
    return answer_of(answer, call);
  }
};

}  // namespace

std::unique_ptr<Tool> create_profile_link() { return std::make_unique<ProfileLink>(); }

}  // namespace atys::present::mcp

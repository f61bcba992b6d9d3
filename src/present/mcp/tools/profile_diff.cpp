// SPDX-License-Identifier: Apache-2.0
#include "verbs/diff.h"

#include "present/json/answers.h"
#include "present/mcp/tools/view_arguments.h"
#include "present/text/answers.h"

namespace atys::present::mcp {

namespace {

class ProfileDiff final : public Tool {
 public:
  ToolDescription describe() const override {
    return {
        .name = "profile_diff",
        .title = "What changed",
        .text = "What changed between two profiles, with confidence intervals. 'No significant change' is an answer.",
        .properties = with_view({{"base", profile_property("the profile to compare with")},
                                 {"new", profile_property("the profile that may have changed")},
                                 {"total", {{"type", "boolean"}, {"description", "compare total instead of self shares"}}}},
                                {"table", "lines"}),
        .required = {"base", "new"},
        .verb = "diff"};
  }

  Result<ToolAnswer> call(const Json& arguments, const ToolContext& context) const override {
    verbs::DiffRequest request;
    request.base = TRY(profile_of(arguments, "base", context));
    request.fresh = TRY(profile_of(arguments, "new", context));
    request.view = TRY(view_of(arguments, context));
    if (arguments.value("total", false)) request.measure = reduce::Measure::Total;
    verbs::DiffAnswer answer = TRY(verbs::diff(request));
    answer.next = as_calls(answer.next);
    return ToolAnswer{text::render(answer), json::render(answer), {}};
  }
};

}  // namespace

std::unique_ptr<Tool> create_profile_diff() { return std::make_unique<ProfileDiff>(); }

}  // namespace atys::present::mcp

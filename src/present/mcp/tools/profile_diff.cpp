// SPDX-License-Identifier: Apache-2.0
#include "verbs/diff.h"

#include "base/strings.h"
#include "present/json/answers.h"
#include "present/mcp/tools/view_arguments.h"
#include "present/text/answers.h"
#include "verbs/profiles/profile_reference.h"

namespace atys::present::mcp {

namespace {

using reduce::Form;

// Several runs of one side have commas between them. Each is looked at by itself, and what has another comma in its name is
// none: the verb would take it for two that nobody has looked at.
Result<std::string> runs_of(const Json& arguments, const char* name, const ToolContext& context) {
  const std::string said = arguments.at(name).get<std::string>();
  std::string runs;
  for (const std::string& one : verbs::split_at_commas(said)) {
    const std::string run = TRY(profile_of({{name, one}}, name, context));
    if (verbs::split_at_commas(run).size() != 1)
      return fail(ErrorCode::InvalidInput, "no comma may be in the name of '" + run + "'", "use its id, or rename it");
    add_to_list(runs, run, ",");
  }
  return runs;
}

class ProfileDiff final : public Tool {
 public:
  ToolDescription describe() const override {
    return {
        .name = "profile_diff",
        .title = "What changed",
        .text = "What changed between two profiles, with confidence intervals. 'No significant change' is an answer.",
        .properties = with_view({{"base", profile_property("the profile to compare with, or several runs: ID,ID")},
                                 {"new", profile_property("the profile that may have changed")},
                                 {"map", map_property()},
                                 {"total", {{"type", "boolean"}, {"description", "compare total instead of self shares"}}}},
                                {Form::Brief, Form::Table, Form::Paths, Form::Tree, Form::Lines}),
        .required = {"base", "new"},
        .verb = "diff"};
  }

  Result<ToolAnswer> call(const Json& arguments, const ToolContext& context) const override {
    verbs::DiffRequest request;
    request.base = TRY(runs_of(arguments, "base", context));
    request.fresh = TRY(runs_of(arguments, "new", context));
    request.view = TRY(view_of(arguments, context, Form::Brief));
    request.maps = TRY(maps_of(arguments));
    if (arguments.value("total", false)) request.measure = reduce::Measure::Total;
    verbs::ChargedCall call = TRY(verbs::charge(context.ledger, "diff", request.view));
    verbs::DiffAnswer answer = TRY(verbs::diff(request));
    return answer_of(answer, call);
  }
};

}  // namespace

std::unique_ptr<Tool> create_profile_diff() { return std::make_unique<ProfileDiff>(); }

}  // namespace atys::present::mcp

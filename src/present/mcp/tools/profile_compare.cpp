// SPDX-License-Identifier: Apache-2.0
#include "verbs/compare.h"

#include <fmt/format.h>

#include <cmath>

#include "present/json/answers.h"
#include "present/mcp/tools/view_arguments.h"
#include "present/text/answers.h"
#include "reduce/sequential.h"

namespace atys::present::mcp {

namespace {

constexpr double kNsPerSecond = 1e9;

class ProfileCompare final : public Tool {
 public:
  ToolDescription describe() const override {
    return {.name = "profile_compare",
            .title = "Is B faster than A?",
            .text =
                "Runs two commands in turns, as fresh processes, until it is decided which is faster or the time is over: "
                "the ratio "
                "with its interval, and the functions that made the difference. One run of each proves nothing; this does.",
            .properties =
                with_view({{"a", command_property("the command as it was, program and arguments: [\"./old\", \"input\"]")},
                           {"b", command_property("the command as it is now")},
                           {"cwd", folder_property()},
                           {"map", map_property()},
                           {"seconds",
                            {{"type", "number"},
                             {"minimum", 1},
                             {"maximum", 86400},
                             {"description", "for everything (default: as long as allowed)"}}},
                           {"least_percent",
                            {{"type", "number"},
                             {"minimum", 0.1},
                             {"maximum", 100},
                             {"description", "smaller differences do not matter (default 2)"}}},
                           {"max_runs",
                            {{"type", "integer"},
                             {"minimum", reduce::kFewestPairs},
                             {"maximum", 10000},
                             {"description", fmt::format("of each side, {} or more (default 100)", reduce::kFewestPairs)}}}},
                          {reduce::Form::Brief, reduce::Form::Table}),
            .required = {"a", "b"},
            .verb = "compare",
            .hints = {.only_reads = false, .runs_commands = true}};
  }

  Result<ToolAnswer> call(const Json& arguments, const ToolContext& context) const override {
    verbs::CompareRequest request;
    request.a = arguments["a"].get<std::vector<std::string>>();
    request.b = arguments["b"].get<std::vector<std::string>>();
    request.view = TRY(view_of(arguments, context, reduce::Form::Brief));
    request.maps = TRY(maps_of(arguments));
    request.max_runs = arguments.value("max_runs", request.max_runs);
    request.least_difference = arguments.value("least_percent", request.least_difference * 100) / 100;
    const double most = static_cast<double>(context.most_duration_ns) / kNsPerSecond;
    const double seconds = arguments.value("seconds", most);
    if (seconds > most)
      return fail(ErrorCode::InvalidInput, "a comparison may take " + std::to_string(std::lround(most)) + " s at most",
                  "ask for fewer seconds; the operator can allow more: atys mcp --max-duration TIME");
    request.max_time_ns = static_cast<uint64_t>(seconds * kNsPerSecond);
    TRY(verbs::check(request));
    verbs::ChargedCall call = TRY(verbs::charge(context.ledger, request));
    TRY(enter_folder(arguments, {request.a, request.b}, context));
    request.on_progress = [&](const verbs::CompareProgress& progress) {
      context.on_progress(
          {progress.seconds, std::nullopt,
           progress.phase + " " + std::to_string(progress.done) + " of at most " + std::to_string(progress.most)});
      return true;
    };
    verbs::CompareAnswer answer = TRY(verbs::compare(request));
    verbs::note_cost(call, answer);
    ToolAnswer said = TRY(answer_of(answer, call));
    for (const std::string& id : {answer.a.profile, answer.b.profile})
      if (!id.empty()) said.made.push_back(id);
    return said;
  }
};

}  // namespace

std::unique_ptr<Tool> create_profile_compare() { return std::make_unique<ProfileCompare>(); }

}  // namespace atys::present::mcp

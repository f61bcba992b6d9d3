// SPDX-License-Identifier: Apache-2.0
#include "verbs/diff.h"

#include <algorithm>
#include <cmath>

#include "verbs/diff_forms.h"
#include "verbs/follow_up.h"

namespace atys::verbs {

namespace {

size_t characters_of(const reduce::DiffRow& row) { return row.entity.name.size() + row.entity.file.size() + 80; }

// Of both profiles the paths through what changed most; for forms whose rows are not functions, the functions that changed.
std::vector<std::string> next_questions(const DiffAnswer& answer, View view) {
  if (answer.base_reference == "-" || answer.fresh_reference == "-" || answer.rows.empty()) return {};
  const bool is_of_functions =
      answer.form == "table" ? answer.by == "function" : answer.form == "lines" || answer.form == "brief";
  view.form = is_of_functions ? "paths" : "table";
  view.by = "function";
  view.top = {};
  view.full_names = false;
  if (!is_of_functions) return {command_for("diff", {answer.base_reference, answer.fresh_reference}, view)};
  view.filter.focus = pattern_of_function(answer.rows.front().entity.name);
  std::vector<std::string> next;
  if (answer.rows.front().fresh != 0) next.push_back(command_for("summary", {answer.fresh_reference}, view));
  if (answer.rows.front().base != 0) next.push_back(command_for("summary", {answer.base_reference}, view));
  return next;
}

}  // namespace

Result<DiffAnswer> diff(const DiffRequest& request) {
  const reduce::Dimension by = TRY(diff_dimension(request.view));
  TRY(bounds_of(request.view));
  const ViewedProfile base = TRY(open_view(request.base, request.view));
  const ViewedProfile fresh = TRY(open_view(request.fresh, request.view));
  reduce::Diff difference =
      reduce::diff(TRY(top_in_form(base, request.view, by)), TRY(top_in_form(fresh, request.view, by)), request.measure);
  std::ranges::stable_sort(difference.rows, [](const auto& a, const auto& b) { return a.significant > b.significant; });

  DiffAnswer answer;
  answer.base_reference = request.base;
  answer.fresh_reference = request.fresh;
  answer.base = describe(base.loaded, base.column);
  answer.fresh = describe(fresh.loaded, fresh.column);
  if (answer.base.unit != answer.fresh.unit || answer.base.kind != answer.fresh.kind) {
    return fail(ErrorCode::InvalidInput,
                "cannot compare " + answer.base.kind + "/" + answer.base.unit + " with " + answer.fresh.kind + "/" +
                    answer.fresh.unit,
                "choose a value type that both have with --value");
  }
  answer.form = request.view.form;
  answer.by = reduce::to_string(by);
  answer.measure = request.measure;
  answer.has_significant_change = difference.has_significant_change;
  answer.distance = difference.distance;
  answer.rows = std::move(difference.rows);
  const size_t kept = rows_that_fit(
      answer.rows.size(), request.view, [&](size_t i) { return characters_of(answer.rows[i]); }, answer.tokens);
  for (size_t i = kept; i < answer.rows.size(); ++i) answer.omitted.percent += std::abs(answer.rows[i].delta) * 100;
  answer.omitted.rows = answer.rows.size() - kept;
  answer.rows.resize(kept);
  answer.next = next_questions(answer, request.view);
  return answer;
}

}  // namespace atys::verbs

// SPDX-License-Identifier: Apache-2.0
#include "verbs/diff.h"

#include <algorithm>
#include <cmath>

#include "verbs/follow_up.h"

namespace atys::verbs {

namespace {

size_t characters_of(const reduce::DiffRow& row) { return row.entity.name.size() + row.entity.file.size() + 80; }

std::vector<std::string> next_questions(const DiffAnswer& answer) {
  if (answer.rows.empty()) return {};
  const std::string name = quote_for_shell("^" + escape_for_pattern(answer.rows.front().entity.name) + "$");
  return {"atys summary " + quote_for_shell(answer.fresh_reference) + " --form paths --focus " + name,
          "atys summary " + quote_for_shell(answer.base_reference) + " --form paths --focus " + name};
}

Result<reduce::Dimension> dimension_of(const View& view) {
  if (view.form == "table") return reduce::parse_dimension(view.by);
  if (view.form == "lines") return reduce::parse_dimension("line");
  return fail(ErrorCode::InvalidInput, "diff has no form '" + view.form + "'", "use table or lines");
}

}  // namespace

Result<DiffAnswer> diff(const DiffRequest& request) {
  const reduce::Dimension by = TRY(dimension_of(request.view));
  const ViewedProfile base = TRY(open_view(request.base, request.view));
  const ViewedProfile fresh = TRY(open_view(request.fresh, request.view));
  reduce::Diff difference = reduce::diff(reduce::top(base.loaded.profile, base.column, by),
                                         reduce::top(fresh.loaded.profile, fresh.column, by), request.measure);
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
  answer.next = next_questions(answer);
  return answer;
}

}  // namespace atys::verbs

// SPDX-License-Identifier: Apache-2.0
#include "verbs/summary.h"

#include <algorithm>

#include "reduce/top.h"
#include "verbs/follow_up.h"
#include "verbs/hot_paths.h"
#include "verbs/hot_tree.h"

namespace atys::verbs {

namespace {

size_t characters_of(const SummaryRow& row) {
  size_t path = 0;
  for (const std::string& name : row.path) path += name.size() + 3;
  return row.entity.name.size() + row.entity.file.size() + row.entity.module.size() + path + row.depth * 2 + 60;
}

std::vector<SummaryRow> table_rows(const ViewedProfile& viewed, const reduce::Dimension& by) {
  const reduce::Top top = reduce::top(viewed.loaded.profile, viewed.column, by);
  std::vector<SummaryRow> rows;
  for (const reduce::TopRow& row : top.rows) {
    const double scale = top.value_total == 0 ? 0 : 100 / top.value_total;
    rows.push_back({.entity = row.entity,
                    .self = row.self,
                    .self_percent = row.self * scale,
                    .total = row.total,
                    .total_percent = row.total * scale,
                    .ci95 = {row.self_share_ci95.low * 100, row.self_share_ci95.high * 100}});
  }
  return rows;
}

// The rows, and how many there are in all: a tree is not made into rows beyond those asked for.
Result<HotTree> rows_in_form(const ViewedProfile& viewed, const View& view, const reduce::Dimension& by) {
  const auto all = [](std::vector<SummaryRow> rows) {
    const size_t count = rows.size();
    return HotTree{std::move(rows), count};
  };
  if (view.form == "table") return all(table_rows(viewed, by));
  if (view.form == "lines") return all(table_rows(viewed, {reduce::DimensionKind::Line, {}}));
  if (view.form == "paths" || view.form == "raw") return all(hot_paths(viewed));
  if (view.form == "tree") return hot_tree(viewed, view.top.value_or(kDefaultRows));
  return fail(ErrorCode::InvalidInput, "no such form '" + view.form + "'", "use table, paths, tree, lines or raw");
}

// What the rows left out are worth: of the self values in flat forms, of the nodes not shown in trees.
double omitted_percent(const std::vector<SummaryRow>& rows, size_t kept) {
  double percent = 0;
  for (size_t i = kept; i < rows.size(); ++i) percent += rows[i].self_percent;
  return percent;
}

std::vector<std::string> next_questions(const SummaryAnswer& answer) {
  std::vector<std::string> next;
  if (answer.reference == "-") return next;  // cannot be asked again
  const std::string call = "atys summary " + quote_for_shell(answer.reference);
  if (!answer.rows.empty() && answer.form == "table" && answer.by == "function") {
    const std::string hottest = quote_for_shell("^" + escape_for_pattern(answer.rows.front().entity.name) + "$");
    next.push_back(call + " --form paths --focus " + hottest);
    if (!answer.rows.front().entity.file.empty()) next.push_back(call + " --form lines --focus " + hottest);
  }
  if (answer.form != "tree") next.push_back(call + " --form tree");
  if (answer.form != "table") next.push_back(call);
  if (next.size() > 3) next.resize(3);
  return next;
}

}  // namespace

Result<SummaryAnswer> summary(const SummaryRequest& request) {
  return summarize(TRY(open_view(request.profile, request.view)), request.profile, request.view);
}

Result<SummaryAnswer> summarize(const ViewedProfile& viewed, const std::string& reference, View view) {
  if (view.form == "raw" && !view.top) view.top = SIZE_MAX;
  const reduce::Dimension by = TRY(reduce::parse_dimension(view.by));

  SummaryAnswer answer;
  answer.reference = reference;
  answer.profile = describe(viewed.loaded, viewed.column);
  answer.form = view.form;
  answer.by = view.form == "table" ? reduce::to_string(by) : view.form == "lines" ? "line" : "function";
  HotTree found = TRY(rows_in_form(viewed, view, by));
  answer.rows = std::move(found.rows);
  const size_t kept = rows_that_fit(
      answer.rows.size(), view, [&](size_t i) { return characters_of(answer.rows[i]); }, answer.tokens);
  answer.omitted = {found.nodes - kept, omitted_percent(answer.rows, kept)};
  answer.rows.resize(kept);
  if (answer.form == "tree") {
    answer.omitted.percent = 100 - hot_tree_covered_percent(answer.rows);
    order_as_tree(answer.rows);
  }
  answer.next = next_questions(answer);
  return answer;
}

}  // namespace atys::verbs

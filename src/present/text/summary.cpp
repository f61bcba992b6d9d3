// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "present/fit.h"
#include "present/text/answers.h"
#include "present/text/brief.h"
#include "present/text/numbers.h"
#include "present/text/screen.h"
#include "present/text/table.h"

namespace atys::present::text {

using reduce::Form;

namespace {

bool is_charged_otherwise(const reduce::TableRow& row) { return row.charged && row.charged->value != row.self; }

// The columns that tables and lines have in common; of a narrow screen the shares and the names are what is left.
std::vector<Table::Column> cost_columns() {
  return {{"self", Align::Right, 5},
          {"self%"},
          {"ci95", Align::Right, 6},
          {"total", Align::Right, 4},
          {"total%", Align::Right, 1}};
}

std::vector<std::string> cost_cells(const reduce::CostRow& row, const std::string& unit) {
  return {quantity(row.self, unit), percent(row.self_percent), percent_range(row.ci95.low, row.ci95.high),
          quantity(row.total, unit), percent(row.total_percent)};
}

std::string wide(const reduce::TableRows& of_form, const verbs::SummaryAnswer& answer) {
  const bool has_charges = std::ranges::any_of(of_form.rows, is_charged_otherwise);
  std::vector<Table::Column> columns = cost_columns();
  if (has_charges) columns.push_back({"charged%", Align::Right, 2});
  columns.push_back({name(answer.by, 60), Align::Left});
  columns.push_back({"where", Align::Left, 3});
  Table table(columns);
  for (const reduce::TableRow& row : of_form.rows) {
    std::vector<std::string> cells = cost_cells(row, answer.profile.unit);
    if (has_charges) cells.push_back(percent(row.charged ? row.charged->percent : row.self_percent));
    cells.push_back(name(row.entity.name, SIZE_MAX));
    cells.push_back(place(row.entity));
    table.add(std::move(cells));
  }
  return table.render() +
         (has_charges ? "charged: self, with libraries and runtime called from there (your own code only)\n" : "");
}

std::string wide(const reduce::LineRows& lines, const verbs::SummaryAnswer& answer) {
  const bool has_source = std::ranges::any_of(lines.rows, [](const auto& row) { return !row.source.empty(); });
  const bool has_callee = std::ranges::any_of(lines.rows, [](const auto& row) { return !row.callee.empty(); });
  std::vector<Table::Column> columns = cost_columns();
  columns.push_back({"charged%"});
  columns.push_back({"line", Align::Left});
  columns.push_back({"where", Align::Left, 3});
  if (has_callee) columns.push_back({"most of it in", Align::Left, 2});
  if (has_source) columns.push_back({"source", Align::Left});
  Table table(columns);
  for (const reduce::LineRow& row : lines.rows) {
    std::vector<std::string> cells = cost_cells(row, answer.profile.unit);
    cells.push_back(percent(row.charged.percent));
    cells.push_back(name(row.entity.name, SIZE_MAX));
    cells.push_back(place(row.entity));
    if (has_callee) cells.push_back(row.callee.empty() ? "" : name(row.callee, SIZE_MAX));
    if (has_source) cells.push_back(row.source.empty() ? "" : "| " + code(row.source));
    table.add(std::move(cells));
  }
  return table.render() + "charged: self, with libraries and runtime called from there\n";
}

std::string wide(const reduce::PathRows& paths, const verbs::SummaryAnswer& answer) {
  std::string text;
  for (size_t at = 0; at < paths.rows.size(); ++at) {
    const reduce::HotPath& row = paths.rows[at];
    text += phase_line(paths, at);
    std::vector<std::string> names;
    for (const std::string& part : row.path) names.push_back(name(part, SIZE_MAX));
    text += on_screen(fmt::format("{:>10}  {:>7}  ", quantity(row.total, answer.profile.unit), percent(row.total_percent)),
                      [&](size_t columns) { return joined_path(names, columns); });
  }
  return text;
}

std::string wide(const reduce::TreeRows& tree, const verbs::SummaryAnswer& answer) {
  std::string text = "     total   total%    self%\n";
  for (const reduce::TreeNode& row : tree.rows) {
    std::string called = name(row.entity.name, SIZE_MAX);
    if (row.recursion > 0) called += fmt::format(" (calls itself, {} deep)", row.recursion + 1);
    text += on_screen(
        fmt::format("{:>10}  {:>7}  {:>7}  {}", quantity(row.total, answer.profile.unit), percent(row.total_percent),
                    percent(row.self_percent), std::string(std::min<size_t>(row.depth, 60), ' ')),
        [&](size_t columns) { return shortened(called, columns); });
  }
  return text;
}

// One line a path, as collapsed stacks; what was left out is a stack too, so that the values still add up.
std::string raw(const reduce::RawRows& stacks, const verbs::SummaryAnswer& answer) {
  std::string text;
  double shown = 0;
  for (const reduce::RawStack& row : stacks.rows) {
    for (size_t i = 0; i < row.path.size(); ++i) text += (i == 0 ? "" : ";") + one_line(row.path[i]);
    text += fmt::format(" {:.0f}\n", row.total);
    shown += row.total;
  }
  if (answer.omitted.rows > 0)
    text += fmt::format("(omitted {} paths) {:.0f}\n", answer.omitted.rows, answer.profile.total - shown);
  return text;
}

// Each form in columns, or where those are too dear, without.
struct Body {
  const verbs::SummaryAnswer& answer;
  bool tight = is_tight(answer);

  std::string operator()(const reduce::TableRows& table) const {
    return tight ? tight_table(table, answer) : wide(table, answer);
  }
  std::string operator()(const reduce::LineRows& lines) const {
    return tight ? tight_lines(lines, answer) : wide(lines, answer);
  }
  std::string operator()(const reduce::PathRows& paths) const { return tight ? tight_paths(paths) : wide(paths, answer); }
  std::string operator()(const reduce::TreeRows& tree) const { return tight ? tight_tree(tree) : wide(tree, answer); }
  std::string operator()(const reduce::BriefRows& rows) const { return brief(rows, answer); }
  std::string operator()(const reduce::RawRows& stacks) const { return raw(stacks, answer); }
};

std::string whole(const verbs::SummaryAnswer& answer, FollowUpText as) {
  if (const auto* stacks = std::get_if<reduce::RawRows>(&answer.rows)) return raw(*stacks, answer);
  std::string text = heading(answer) + body(answer);
  for (const std::string& remark : answer.remarks) text += "note: " + remark + "\n";
  if (needs_data_notice(answer)) text += kDataNotice;
  return text + footing(answer.omitted, answer.next, as) + budget_lines(answer.ledger);
}

}  // namespace

std::string body(const verbs::SummaryAnswer& answer) {
  if (reduce::count_rows(answer.rows) == 0) return answer.omitted.rows > 0 ? "" : "no samples\n";
  return std::visit(Body{answer}, answer.rows);
}

std::string render(const verbs::SummaryAnswer& answer, FollowUpText as) {
  const auto render_whole = [as](const verbs::SummaryAnswer& less, size_t) { return whole(less, as); };
  if (answer.form() == Form::Raw && !answer.tokens.cap) return whole(answer, as);
  const std::string text = fitted(answer, as, answer.full_names, all_rows(answer), render_whole);
  return text.empty() ? std::string(kTooShort) : text;
}

}  // namespace atys::present::text

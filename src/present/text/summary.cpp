// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "present/fit.h"
#include "present/text/answers.h"
#include "present/text/brief.h"
#include "present/text/numbers.h"
#include "present/text/screen.h"
#include "present/text/table.h"

namespace atys::present::text {

namespace {

bool is_charged_otherwise(const verbs::SummaryRow& row) { return row.charged != row.self; }

std::string table(const verbs::SummaryAnswer& answer) {
  const bool has_charges = std::ranges::any_of(answer.rows, is_charged_otherwise);
  const bool has_source = std::ranges::any_of(answer.rows, [](const auto& row) { return !row.source.empty(); });
  // Of a narrow screen the shares and the names are what is left.
  std::vector<Table::Column> columns = {{"self", Align::Right, 5},
                                        {"self%"},
                                        {"ci95", Align::Right, 6},
                                        {"total", Align::Right, 4},
                                        {"total%", Align::Right, 1}};
  if (has_charges) columns.push_back({"charged%", Align::Right, 2});
  columns.push_back({name(answer.by, 60), Align::Left});
  columns.push_back({"where", Align::Left, 3});
  if (has_source) columns.push_back({"source", Align::Left});
  Table table(columns);
  for (const verbs::SummaryRow& row : answer.rows) {
    std::vector<std::string> cells = {quantity(row.self, answer.profile.unit), percent(row.self_percent),
                                      percent_range(row.ci95.low, row.ci95.high), quantity(row.total, answer.profile.unit),
                                      percent(row.total_percent)};
    if (has_charges) cells.push_back(percent(row.charged_percent));
    cells.push_back(name(row.entity.name, SIZE_MAX));
    cells.push_back(place(row.entity));
    if (has_source) cells.push_back(row.source.empty() ? "" : "| " + code(row.source));
    table.add(std::move(cells));
  }
  return table.render() +
         (has_charges ? "charged: self, with libraries and runtime called from there (your own code only)\n" : "");
}

std::string paths(const verbs::SummaryAnswer& answer) {
  std::string text;
  for (const verbs::SummaryRow& row : answer.rows) {
    text += phase_line(answer, static_cast<size_t>(&row - answer.rows.data()));
    std::vector<std::string> names;
    for (const std::string& part : row.path) names.push_back(name(part, SIZE_MAX));
    text += on_screen(fmt::format("{:>10}  {:>7}  ", quantity(row.total, answer.profile.unit), percent(row.total_percent)),
                      [&](size_t columns) { return joined_path(names, columns); });
  }
  return text;
}

std::string tree(const verbs::SummaryAnswer& answer) {
  std::string text = "     total   total%    self%\n";
  for (const verbs::SummaryRow& row : answer.rows) {
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
std::string raw(const verbs::SummaryAnswer& answer) {
  std::string text;
  double shown = 0;
  for (const verbs::SummaryRow& row : answer.rows) {
    for (size_t i = 0; i < row.path.size(); ++i) text += (i == 0 ? "" : ";") + one_line(row.path[i]);
    text += fmt::format(" {:.0f}\n", row.total);
    shown += row.total;
  }
  if (answer.omitted.rows > 0)
    text += fmt::format("(omitted {} paths) {:.0f}\n", answer.omitted.rows, answer.profile.total - shown);
  return text;
}

std::string whole(const verbs::SummaryAnswer& answer) {
  if (answer.form == "raw") return raw(answer);
  std::string text = heading(answer.profile) + body(answer);
  for (const std::string& remark : answer.remarks) text += "note: " + remark + "\n";
  if (needs_data_notice(answer)) text += kDataNotice;
  return text + footing(answer.omitted, answer.next) + budget_lines(answer.ledger);
}

}  // namespace

std::string body(const verbs::SummaryAnswer& answer) {
  if (answer.rows.empty()) return answer.omitted.rows > 0 ? "" : "no samples\n";
  if (answer.form == "paths") return is_tight(answer) ? tight_paths(answer) : paths(answer);
  if (answer.form == "tree") return is_tight(answer) ? tight_tree(answer) : tree(answer);
  if (answer.form == "brief") return brief(answer);
  return is_tight(answer) ? tight_table(answer) : table(answer);
}

std::string render(const verbs::SummaryAnswer& answer) {
  const auto render_whole = [](const verbs::SummaryAnswer& less, size_t) { return whole(less); };
  if (answer.form == "raw" && !answer.tokens.cap) return whole(answer);
  const std::string text = fitted(answer, answer.full_names, all_rows(answer), render_whole);
  return text.empty() ? std::string(kTooShort) : text;
}

}  // namespace atys::present::text

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "present/text/answers.h"
#include "present/text/numbers.h"
#include "present/text/table.h"

namespace atys::present::text {

namespace {

std::string table(const verbs::SummaryAnswer& answer) {
  Table table({{"self"}, {"self%"}, {"ci95"}, {"total"}, {"total%"}, {answer.by, Align::Left}, {"where", Align::Left}});
  for (const verbs::SummaryRow& row : answer.rows) {
    table.add({quantity(row.self, answer.profile.unit), percent(row.self_percent),
               percent_range(row.ci95.low, row.ci95.high), quantity(row.total, answer.profile.unit),
               percent(row.total_percent), name(row.entity.name, 80), place(row.entity)});
  }
  return table.render();
}

std::string paths(const verbs::SummaryAnswer& answer) {
  std::string text;
  for (const verbs::SummaryRow& row : answer.rows) {
    text += fmt::format("{:>10}  {:>7}  ", quantity(row.total, answer.profile.unit), percent(row.total_percent));
    for (size_t i = 0; i < row.path.size(); ++i) text += (i == 0 ? "" : " > ") + name(row.path[i], 80);
    text += "\n";
  }
  return text;
}

std::string tree(const verbs::SummaryAnswer& answer) {
  std::string text = "     total   total%    self%\n";
  for (const verbs::SummaryRow& row : answer.rows) {
    text +=
        fmt::format("{:>10}  {:>7}  {:>7}  {}{}", quantity(row.total, answer.profile.unit), percent(row.total_percent),
                    percent(row.self_percent), std::string(std::min<size_t>(row.depth, 60), ' '), name(row.entity.name, 80));
    if (row.recursion > 0) text += fmt::format(" (calls itself, {} deep)", row.recursion + 1);
    text += "\n";
  }
  return text;
}

// One line a path, as collapsed stacks.
std::string raw(const verbs::SummaryAnswer& answer) {
  std::string text;
  for (const verbs::SummaryRow& row : answer.rows) {
    for (size_t i = 0; i < row.path.size(); ++i) text += (i == 0 ? "" : ";") + name(row.path[i], SIZE_MAX);
    text += fmt::format(" {:.0f}\n", row.total);
  }
  return text;
}

}  // namespace

std::string render(const verbs::SummaryAnswer& answer) {
  if (answer.form == "raw") return raw(answer);
  std::string text = heading(answer.profile);
  if (answer.rows.empty())
    return text + (answer.omitted.rows > 0 ? "" : "no samples\n") + footing(answer.omitted, answer.next) +
           budget_lines(answer.ledger);
  if (answer.form == "paths") {
    text += paths(answer);
  } else if (answer.form == "tree") {
    text += tree(answer);
  } else {
    text += table(answer);
  }
  return text + footing(answer.omitted, answer.next) + budget_lines(answer.ledger);
}

}  // namespace atys::present::text

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "present/fit.h"
#include "present/text/answers.h"
#include "present/text/brief.h"
#include "present/text/numbers.h"
#include "present/text/table.h"

namespace atys::present::text {

namespace {

std::string groups(const verbs::SummaryAnswer& answer) {
  Table table({{"value", Align::Right, 1}, {"share"}, {"ci95", Align::Right, 2}, {answer.by, Align::Left}});
  for (const reduce::TableRow& row : reduce::table_of(answer.rows))
    table.add({quantity(row.self, answer.profile.unit), percent(row.self_percent),
               percent_range(row.ci95.low, row.ci95.high), name(row.entity.name, SIZE_MAX)});
  return table.render() + footing(answer.omitted);
}

std::string whole(const verbs::LinkAnswer& answer, FollowUpText as) {
  std::string text = heading(answer.profile);
  text += fmt::format("{}: {}, {} of all", name(answer.asked, SIZE_MAX), quantity(answer.value, answer.profile.unit),
                      percent(answer.percent));
  text += answer.profile.is_count_known ? fmt::format(", {:.0f} samples\n", answer.samples) : "\n";
  if (answer.samples == 0) return text + "no sample is of it\n" + footing({}, answer.next, as) + budget_lines(answer.ledger);
  text += "\n" + body(answer.spent) + footing(answer.spent.omitted) + "\n" + groups(answer.groups);
  return text + footing({}, answer.next, as) + budget_lines(answer.ledger);
}

}  // namespace

std::string render(const verbs::LinkAnswer& answer, FollowUpText as) {
  const auto render_whole = [as](const verbs::LinkAnswer& less, size_t) { return whole(less, as); };
  const size_t rows = std::max(all_rows(answer.spent), all_rows(answer.groups));
  const std::string text = fitted(answer, as, false, rows, render_whole);
  return text.empty() ? std::string(kTooShort) : text;
}

}  // namespace atys::present::text

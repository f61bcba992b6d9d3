// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "present/text/answers.h"
#include "present/text/numbers.h"
#include "present/text/table.h"

namespace atys::present::text {

namespace {

std::string groups(const verbs::SummaryAnswer& answer) {
  Table table({{"value"}, {"share"}, {"ci95"}, {answer.by, Align::Left}});
  for (const verbs::SummaryRow& row : answer.rows)
    table.add({quantity(row.self, answer.profile.unit), percent(row.self_percent),
               percent_range(row.ci95.low, row.ci95.high), name(row.entity.name, 80)});
  return table.render() + footing(answer.omitted, {});
}

}  // namespace

std::string render(const verbs::LinkAnswer& answer) {
  std::string text = heading(answer.profile);
  text += fmt::format("{}: {}, {} of all, {:.0f} samples\n", name(answer.asked, 200),
                      quantity(answer.value, answer.profile.unit), percent(answer.percent), answer.samples);
  if (answer.samples == 0) return text + "no sample is of it\n" + footing({}, answer.next);
  verbs::SummaryAnswer spent = answer.spent;
  spent.next.clear();
  const std::string rows = render(spent);
  text += "\n" + rows.substr(std::min(rows.size(), heading(spent.profile).size()));
  return text + "\n" + groups(answer.groups) + footing({}, answer.next);
}

}  // namespace atys::present::text

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "present/fit.h"
#include "present/text/answers.h"
#include "present/text/brief.h"
#include "present/text/numbers.h"
#include "present/text/table.h"

namespace atys::present::text {

static std::string whole(const verbs::DiffAnswer& answer) {
  std::string text = "base " + heading(answer.base) + "new  " + heading(answer.fresh);
  text += answer.has_significant_change ? "" : "no significant change\n";
  text += fmt::format("distance {:.4f} (0: same, 1: nothing in common), {} shares\n", answer.distance,
                      answer.measure == reduce::Measure::Self ? "self" : "total");
  if (!answer.rows.empty()) {
    Table table({{"base%"},
                 {"new%"},
                 {"change"},
                 {"ci95"},
                 {"", Align::Left},
                 {name(answer.by, 60), Align::Left},
                 {"where", Align::Left}});
    for (const reduce::DiffRow& row : answer.rows) {
      table.add({percent(row.base_share * 100), percent(row.fresh_share * 100), signed_percent(row.delta * 100),
                 fmt::format("{:+.1f}..{:+.1f}", row.delta_ci95.low * 100, row.delta_ci95.high * 100),
                 row.significant ? "*" : "", name(row.entity.name, SIZE_MAX), place(row.entity)});
    }
    text += table.render();
    if (answer.has_significant_change) text += "* significant: at most 5% of these are expected to be chance\n";
  }
  return text + footing(answer.omitted, answer.next);
}

std::string render(const verbs::DiffAnswer& answer) {
  const auto render_whole = [](const verbs::DiffAnswer& less, size_t) { return whole(less); };
  const std::string text = fitted(answer, false, answer.rows.size(), render_whole);
  return text.empty() ? std::string(kTooShort) : text;
}

}  // namespace atys::present::text

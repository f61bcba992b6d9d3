// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "present/text/answers.h"
#include "present/text/numbers.h"
#include "present/text/table.h"

namespace atys::present::text {

std::string render(const verbs::TopAnswer& answer) {
  const verbs::ProfileInfo& profile = answer.summary.profile;
  std::string text =
      fmt::format("{} {} in {}, {:.0f} samples at {:.0f} Hz, overhead {:.2f}%{}\n", name(profile.kind, 60),
                  quantity(profile.total, profile.unit), quantity(static_cast<double>(profile.duration_ns), "nanoseconds"),
                  profile.samples, answer.hz, answer.overhead_percent, answer.is_last ? "; the target has ended" : "");
  if (!answer.function.empty()) {
    text += "callers of " + name(answer.function, 100) + "\n";
    Table table({{"time"}, {"share"}, {"caller", Align::Left}});
    for (const verbs::CallerRow& caller : answer.callers)
      table.add({quantity(caller.value, profile.unit), percent(caller.percent), name(caller.name, 100)});
    return text + table.render();
  }
  Table table({{answer.by_total ? "self" : "self*", Align::Right, 4},
               {"self%"},
               {answer.by_total ? "total*" : "total", Align::Right, 3},
               {"total%", Align::Right, 1},
               {"function", Align::Left},
               {"where", Align::Left, 2}});
  for (const reduce::TableRow& row : reduce::table_of(answer.summary.rows))
    table.add({quantity(row.self, profile.unit), percent(row.self_percent), quantity(row.total, profile.unit),
               percent(row.total_percent), name(row.entity.name, 60), place(row.entity)});
  return text + table.render();
}

}  // namespace atys::present::text

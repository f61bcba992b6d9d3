// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "present/text/answers.h"
#include "present/text/numbers.h"
#include "present/text/table.h"

namespace atys::present::text {

std::string render(const verbs::UpAnswer& answer) {
  std::string text = fmt::format("hotspots on {}, as the agent sees them at {} of a core\n", name(answer.node),
                                 percent(100 * answer.agent_cpu_share));
  Table table({{"service", Align::Left}, {"cores"}, {"charged%"}, {"total%"}, {"function", Align::Left}});
  for (const verbs::UpService& service : answer.services) {
    bool is_first = true;
    const auto head = [&] {
      return is_first ? std::pair(name(service.service, 40), fmt::format("{:.2f}", service.cores))
                      : std::pair<std::string, std::string>();
    };
    if (!service.top || service.top->rows.empty()) table.add({head().first, head().second, "", "", "no window yet"});
    for (const verbs::SummaryRow& row : service.top ? service.top->rows : std::vector<verbs::SummaryRow>{}) {
      const auto [first, cores] = head();
      table.add({first, cores, percent(row.charged_percent), percent(row.total_percent), name(row.entity.name)});
      is_first = false;
    }
  }
  return text + table.render() + "charged: self, with libraries and runtime called from there\n";
}

}  // namespace atys::present::text

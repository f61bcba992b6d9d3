// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/path_names.h"
#include "present/text/answers.h"
#include "present/text/numbers.h"
#include "present/text/table.h"
#include "reduce/anonymous.h"

namespace atys::present::text {

namespace {

constexpr int64_t kSecond = 1'000'000'000;

// Whole seconds: what was waited for need not be told to the millisecond.
std::string seconds(uint64_t ns) { return duration(static_cast<int64_t>(ns) / kSecond * kSecond); }

// What it took to begin is told apart: it is soon over.
std::string own_cost(const verbs::UpAnswer& answer) {
  return fmt::format("atys itself: {} of a core of {} that it may ({} of CPU time to begin)",
                     percent(100 * answer.agent_cpu_share), percent(100 * answer.agent_cpu_budget),
                     duration(static_cast<int64_t>(answer.begun_for_ns)));
}

std::string hidden_line(const verbs::UpAnswer& answer) {
  if (answer.hidden == 0) return {};
  return fmt::format("{} busy service{} of other users cannot be seen: run it as root\n", answer.hidden,
                     answer.hidden == 1 ? "" : "s");
}

std::string why_nothing(const verbs::UpService& service, double least_cores) {
  if (service.windows > 0 && service.cores < least_cores) return "idle";
  if (!service.trouble.empty()) return "no window: " + one_line(service.trouble);
  return service.windows > 0 ? "its next window is on its way" : "no window yet";
}

// There is no column for files: a callback of which its line alone is known is told with its file.
std::string name_of(const reduce::Entity& function) {
  const auto anonymous = reduce::parse_anonymous_name(function.name);
  const bool says_where =
      !anonymous || !anonymous->around.empty() || anonymous->word.find_first_of(".\\/ ") != std::string::npos;
  if (says_where || function.file.empty()) return name(function.name);
  return name(function.name + " in " + std::string(base_name(function.file)));
}

}  // namespace

std::string render(const verbs::UpAnswer& answer) {
  if (answer.services.empty())
    return fmt::format("nothing {}on {} used more than {} of a CPU in {}; {}\n", answer.hidden > 0 ? "of ours " : "",
                       name(answer.node), percent(100 * answer.least_cores), seconds(answer.watched_ns), own_cost(answer)) +
           hidden_line(answer);
  std::string text = fmt::format("hotspots on {} in the last {}; {}\n", name(answer.node),
                                 seconds(std::min(answer.range_ns, answer.watched_ns)), own_cost(answer));
  Table table({{"service", Align::Left}, {"cores"}, {"charged%"}, {"total%"}, {"function", Align::Left}});
  for (const verbs::UpService& service : answer.services) {
    const std::string cores = fmt::format("{:.2f}", service.cores);
    const auto* functions = service.top ? std::get_if<reduce::BriefRows>(&service.top->rows) : nullptr;
    const bool has_rows = functions != nullptr && !functions->rows.empty();
    if (!has_rows) table.add({name(service.service, 40), cores, "", "", why_nothing(service, answer.least_cores)});
    if (!has_rows) continue;
    bool is_first = true;
    for (const reduce::BriefRow& row : functions->rows) {
      table.add({is_first ? name(service.service, 40) : "", is_first ? cores : "", percent(row.charged.percent),
                 percent(row.total_percent), name_of(row.entity)});
      is_first = false;
    }
  }
  return text + table.render() + "charged: self, with libraries and runtime called from there\n" + hidden_line(answer);
}

}  // namespace atys::present::text

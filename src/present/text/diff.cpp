// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "present/fit.h"
#include "present/text/answers.h"
#include "present/text/brief.h"
#include "present/text/numbers.h"
#include "present/text/table.h"

namespace atys::present::text {

namespace {

std::string side(const char* title, const verbs::ProfileInfo& info, size_t runs) {
  return fmt::format("{} {}", title, runs > 1 ? fmt::format("{} runs, {}", runs, heading(info)) : heading(info));
}

// What the answer is, before its rows.
std::string conclusion(const verbs::DiffAnswer& answer) {
  std::string text;
  if (answer.verdict == reduce::DiffVerdict::NoChange) {
    text = "no significant change\n";
  } else if (answer.verdict == reduce::DiffVerdict::Inconclusive) {
    text = fmt::format("no significant change, but inconclusive: changes up to {} of the total cannot be excluded; ",
                       percent(answer.resolution_percent));
    text += answer.is_run_noise_known
                ? fmt::format("about {} more runs of each would exclude 2%\n", answer.more_runs_needed)
                : fmt::format("{:.0f} times the samples would exclude 2%\n", std::ceil(answer.times_more_needed));
  }
  if (!answer.is_run_noise_known) text += "one run each: how runs differ by themselves is not in the intervals\n";
  return text;
}

// Counts are seldom whole when they are divided by work.
std::string amount(double value, const verbs::DiffAnswer& answer) {
  if (answer.base.unit == "count" && std::abs(value) < 100 && value != std::trunc(value))
    return fmt::format("{:.2f}", value);
  return quantity(value, answer.base.unit);
}

std::string signed_amount(double value, const verbs::DiffAnswer& answer) {
  return (value < 0 ? "-" : "+") + amount(std::abs(value), answer);
}

std::string range(const reduce::Interval& interval, const verbs::DiffAnswer& answer) {
  return signed_amount(interval.low, answer) + ".." + signed_amount(interval.high, answer);
}

std::string totals(const verbs::DiffAnswer& answer) {
  if (!answer.has_work) return "";
  const reduce::Change& all = answer.total_work;
  return fmt::format("all: {} to {} per {}, {} ({})\n", amount(all.base, answer), amount(all.fresh, answer),
                     name(answer.per, 40), signed_amount(all.delta, answer), range(all.delta_ci95, answer));
}

std::string share_rows(const verbs::DiffAnswer& answer) {
  Table table({{"base%", Align::Right, 2},
               {"new%", Align::Right, 1},
               {"change"},
               {"ci95", Align::Right, 4},
               {"", Align::Left},
               {name(answer.by, 60), Align::Left},
               {"where", Align::Left, 3}});
  for (const reduce::DiffRow& row : answer.rows) {
    table.add({percent(row.base_share * 100), percent(row.fresh_share * 100), signed_percent(row.delta * 100),
               fmt::format("{:+.1f}..{:+.1f}", row.delta_ci95.low * 100, row.delta_ci95.high * 100),
               row.significant ? "*" : "", name(row.entity.name, SIZE_MAX), place(row.entity)});
  }
  return table.render();
}

std::string work_rows(const verbs::DiffAnswer& answer) {
  const std::string per = "/" + name(answer.per, 20);
  Table table({{"base" + per},
               {"new" + per},
               {"change"},
               {"ci95"},
               {"of all"},
               {"", Align::Left},
               {name(answer.by, 60), Align::Left},
               {"where", Align::Left}});
  for (const reduce::DiffRow& row : answer.rows) {
    const double of_all = answer.total_work.base == 0 ? 0 : row.work.delta / answer.total_work.base;
    table.add({amount(row.work.base, answer), amount(row.work.fresh, answer), signed_amount(row.work.delta, answer),
               range(row.work.delta_ci95, answer), signed_percent(of_all * 100), row.significant ? "*" : "",
               name(row.entity.name, SIZE_MAX), place(row.entity)});
  }
  return table.render();
}

}  // namespace

static std::string whole(const verbs::DiffAnswer& answer) {
  std::string text =
      side("base", answer.base, answer.base_runs.size()) + side("new ", answer.fresh, answer.fresh_runs.size());
  text += conclusion(answer) + totals(answer);
  text += fmt::format("distance {:.4f} (0: same, 1: nothing in common), {} {}\n", answer.distance,
                      answer.measure == reduce::Measure::Self ? "self" : "total", answer.has_work ? "values" : "shares");
  if (!answer.rows.empty()) {
    text += answer.has_work ? work_rows(answer) : share_rows(answer);
    if (answer.has_significant_change) text += "* significant: at most 5% of these are expected to be chance\n";
  }
  return text + footing(answer.omitted, answer.next) + budget_lines(answer.ledger);
}

std::string render(const verbs::DiffAnswer& answer) {
  const auto render_whole = [](const verbs::DiffAnswer& less, size_t) { return whole(less); };
  const std::string text = fitted(answer, false, answer.rows.size(), render_whole);
  return text.empty() ? std::string(kTooShort) : text;
}

}  // namespace atys::present::text

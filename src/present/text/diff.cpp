// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "present/fit.h"
#include "present/text/answers.h"
#include "present/text/brief.h"
#include "present/text/numbers.h"
#include "present/text/table.h"

namespace atys::present::text {

using reduce::Form;

namespace {

// What is said of several runs is their sum.
std::string side(const char* title, const verbs::ProfileInfo& info, size_t runs) {
  return fmt::format("{} {}{}", title, runs > 1 ? fmt::format("{} runs, ", runs) : "", heading(info, runs - 1));
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
  if (!interval.is_known()) return std::string(kUnknown);
  return signed_amount(interval.low, answer) + ".." + signed_amount(interval.high, answer);
}

// What would tell more. Numbers of runs that nobody would make are no advice.
std::string missing(const verbs::DiffAnswer& answer) {
  static constexpr size_t kMostRuns = 100;
  static constexpr double kMostTimes = 100;
  if (answer.is_run_noise_known ? answer.more_runs_needed > kMostRuns : answer.times_more_needed > kMostTimes)
    return answer.is_run_noise_known ? "excluding 2% would take more runs than are worth making"
                                     : "excluding 2% would take far more samples";
  return answer.is_run_noise_known
             ? fmt::format("about {} more runs of each would exclude 2%", answer.more_runs_needed)
             : fmt::format("{:.0f} times the samples would exclude 2%", std::ceil(answer.times_more_needed));
}

std::string plural(const verbs::DiffAnswer& answer) {
  const bool is_of_paths = answer.form == Form::Paths || answer.form == Form::Raw || answer.form == Form::Tree;
  return is_of_paths ? "paths" : answer.by.starts_with("label:") ? "values" : name(answer.by, 40) + "s";
}

// "cpu 9.50s to 19.00s (+100.00%)": of all functions together, which shares say nothing of.
std::string total_change(const verbs::DiffAnswer& answer) {
  const reduce::Change& all = answer.total;
  std::string text =
      fmt::format("{} {} to {}", name(answer.base.kind, 40), amount(all.base, answer), amount(all.fresh, answer));
  if (answer.has_work) text += " per " + name(answer.per, 40);
  if (all.base > 0) text += fmt::format(" ({})", signed_percent(100 * all.delta / all.base));
  return text;
}

// Sample counts are no cost: how many there are depends on how often and for how long somebody looked.
bool is_cost(const verbs::DiffAnswer& answer) { return answer.has_work || answer.base.kind != "samples"; }

// The first row is the one that changed most.
std::string most_changed(const verbs::DiffAnswer& answer) {
  if (answer.rows.empty()) return "";
  const reduce::DiffRow& row = answer.rows.front();
  return ", most in " + name(row.entity.name, 60) + " (" +
         (answer.has_work ? signed_amount(row.work.delta, answer) : fmt::format("{:+.1f} points", row.delta * 100)) + ")";
}

// What happened to the single functions.
std::string of_rows(const verbs::DiffAnswer& answer) {
  const std::string what = answer.has_work ? "in cost" : "in share";
  if (answer.significant_rows > 0)
    return fmt::format("{} of {} {} changed {}", answer.significant_rows, answer.tested_rows, plural(answer), what) +
           most_changed(answer);
  if (answer.resolution_percent > 2)
    return fmt::format("none of the {} stands out, but changes up to {} of the total cannot be excluded; {}", plural(answer),
                       percent(answer.resolution_percent), missing(answer));
  return "none of the " + plural(answer) + " changed " + what + " by 2% of the total";
}

// The answer in one sentence. Whatever the total did is said first: no word on functions takes it back.
std::string verdict(const verbs::DiffAnswer& answer) {
  if (!answer.is_known && answer.rows.empty() && answer.omitted.rows == 0) return "no difference";
  const std::string total = is_cost(answer) ? total_change(answer) + "; " : "";
  if (!answer.is_known)
    return total +
           "not known whether this is chance: nothing says how many samples the values rest on; several runs of each would "
           "tell";
  if (answer.significant_rows > 0 || (answer.has_total_change && is_cost(answer)))
    return "changed: " + total + of_rows(answer);
  const std::string within = total.empty() ? "" : total_change(answer) + " is within chance; ";
  if (answer.resolution_percent > 2) return "inconclusive: " + within + of_rows(answer);
  return "no significant change: " + within + of_rows(answer);
}

std::string conclusion(const verbs::DiffAnswer& answer) {
  std::string text = verdict(answer) + "\n";
  if (answer.is_known && !answer.is_run_noise_known)
    text += "one run each: how runs differ by themselves is not in the intervals\n";
  return text;
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
               row.delta_ci95.is_known()
                   ? fmt::format("{:+.1f}..{:+.1f}", row.delta_ci95.low * 100, row.delta_ci95.high * 100)
                   : std::string(kUnknown),
               row.significant  ? "*"
               : row.is_in_step ? "~"
                                : "",
               name(row.entity.name, SIZE_MAX), place(row.entity)});
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

static std::string whole(const verbs::DiffAnswer& answer, FollowUpText as) {
  std::string text = conclusion(answer) + side("base", answer.base, answer.base_runs.size()) +
                     side("new ", answer.fresh, answer.fresh_runs.size());
  text += totals(answer) + matching_line(answer.matching, "base", "new");
  text += fmt::format("distance {:.4f} (0: same, 1: nothing in common), {} {}\n", answer.distance,
                      answer.measure == reduce::Measure::Self ? "self" : "total", answer.has_work ? "values" : "shares");
  if (!answer.rows.empty()) {
    text += answer.has_work ? work_rows(answer) : share_rows(answer);
    if (answer.significant_rows > 0) text += "* significant: at most 5% of these are expected to be chance\n";
    if (std::ranges::any_of(answer.rows, &reduce::DiffRow::is_in_step))
      text += "~ in step with most others: its share changed because theirs did; cost per run would tell\n";
  }
  return text + footing(answer.omitted, answer.next, as) + budget_lines(answer.ledger);
}

std::string render(const verbs::DiffAnswer& answer, FollowUpText as) {
  const auto render_whole = [as](const verbs::DiffAnswer& less, size_t) { return whole(less, as); };
  const std::string text = fitted(answer, as, false, answer.rows.size(), render_whole);
  return text.empty() ? std::string(kTooShort) : text;
}

}  // namespace atys::present::text

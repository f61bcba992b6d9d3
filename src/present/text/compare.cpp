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

// More than anybody would make are no advice.
constexpr size_t kMostRuns = 1000;
constexpr size_t kMostProfiles = 100;

std::string change_of(double ratio) { return signed_percent((ratio - 1) * 100); }

std::string interval_of(const reduce::Interval& ratio) {
  if (!std::isfinite(ratio.high)) return "-100%..";
  return fmt::format("{:+.1f}..{:+.1f}%", (ratio.low - 1) * 100, (ratio.high - 1) * 100);
}

std::string metric_text(const verbs::CompareAnswer& answer) { return answer.metric ? to_string(*answer.metric) : ""; }

// Counts are seldom whole when they are divided by work.
std::string amount(double value, const verbs::CompareAnswer& answer) {
  if (answer.unit == "count" && std::abs(value) < 100 && value != std::trunc(value)) return fmt::format("{:.2f}", value);
  return quantity(value, answer.unit);
}

std::string signed_amount(double value, const verbs::CompareAnswer& answer) {
  return (value < 0 ? "-" : "+") + amount(std::abs(value), answer);
}

// "3.15s to 0.84s of cpu time per run, -73.33%"
std::string change_per_run(const verbs::CompareAnswer& answer) {
  const bool is_cpu = answer.metric == verbs::Metric::Cpu;
  return fmt::format("{} to {} of {} time per run, {}", quantity(is_cpu ? answer.a.cpu_ns : answer.a.wall_ns, "nanoseconds"),
                     quantity(is_cpu ? answer.b.cpu_ns : answer.b.wall_ns, "nanoseconds"), metric_text(answer),
                     change_of(verbs::decisive(answer).ratio));
}

std::string where_most(const verbs::CompareAnswer& answer) {
  const reduce::Diff& found = answer.functions;
  if (found.significant_rows == 0 || found.rows.empty()) return "";
  return fmt::format("; most in {} ({})", name(found.rows.front().entity.name, 60),
                     signed_amount(found.rows.front().work.delta, answer));
}

std::string verdict_line(const verbs::CompareAnswer& answer) {
  const reduce::Judgement& by = verbs::decisive(answer);
  std::string text = to_string(answer.verdict);
  switch (answer.verdict) {
    case reduce::Verdict::Faster:
    case reduce::Verdict::Slower:
      text += fmt::format(": {} ({}){}", change_per_run(answer), interval_of(by.ratio_ci95), where_most(answer));
      break;
    case reduce::Verdict::Same:
      text += fmt::format(": {} ({}), and less than ±{:.1f}% does not matter", change_per_run(answer),
                          interval_of(by.ratio_ci95), answer.least_difference * 100);
      break;
    case reduce::Verdict::Inconclusive:
      if (answer.a.failures + answer.b.failures > 0) {
        text += fmt::format(": {} failed in some runs, and the time of a failure says nothing", answer.a.failures == 0 ? "B"
                                                                                                : answer.b.failures == 0
                                                                                                    ? "A"
                                                                                                    : "A and B");
        break;
      }
      text += fmt::format(": {}, but all of {} fits", change_per_run(answer), interval_of(by.ratio_ci95));
      text += by.more_pairs > 0 && by.more_pairs <= kMostRuns
                  ? fmt::format("; about {} more runs of each would decide", by.more_pairs)
                  : "; more runs would hardly decide";
  }
  return text + "\n";
}

std::string times(const verbs::CompareAnswer& answer) {
  Table table(
      {{"", Align::Left}, {"A"}, {"±"}, {"B"}, {"±"}, {"change"}, {"ci95"}, {"noise floor"}, {"verdict", Align::Left}});
  const auto add = [&](const char* title, double a, double a_spread, double b, double b_spread,
                       const reduce::Judgement& by) {
    table.add({title, quantity(a, "nanoseconds"), fmt::format("{:.1f}%", a_spread * 100), quantity(b, "nanoseconds"),
               fmt::format("{:.1f}%", b_spread * 100), change_of(by.ratio), interval_of(by.ratio_ci95),
               fmt::format("{:.1f}%", by.noise_floor * 100), to_string(by.verdict)});
  };
  add("wall", answer.a.wall_ns, answer.a.wall_spread, answer.b.wall_ns, answer.b.wall_spread, answer.wall);
  add("cpu", answer.a.cpu_ns, answer.a.cpu_spread, answer.b.cpu_ns, answer.b.cpu_spread, answer.cpu);
  return table.render();
}

std::string circumstances(const verbs::CompareAnswer& answer) {
  const reduce::Judgement& by = verbs::decisive(answer);
  std::string text = fmt::format("{} runs of each in {}, until {}; seed {}; decided by {} time ({})\n", answer.a.runs,
                                 duration(static_cast<int64_t>(answer.elapsed_ns)), to_string(answer.ended), answer.seed,
                                 metric_text(answer), answer.metric_reason);
  text += fmt::format("a difference counts beyond ±{:.1f}%; signed ranks p={:.2g}, signs p={:.2g}\n", by.threshold * 100,
                      by.signed_rank_p, by.sign_p);
  if (!answer.instructions.source.empty() && answer.instructions.a > 0)
    text += fmt::format("instructions ({}): {} to {}, {}\n", answer.instructions.source,
                        quantity(answer.instructions.a, "count"), quantity(answer.instructions.b, "count"),
                        change_of(answer.instructions.b / answer.instructions.a));
  else if (!answer.instructions.why_not.empty())
    text += "instructions: not counted; " + one_line(answer.instructions.why_not) + "\n";
  text += fmt::format("output: {}\n", answer.output == verbs::SeenOutput::Varies
                                          ? "varies from run to run, so it cannot be compared"
                                      : answer.output == verbs::SeenOutput::Same ? "same"
                                                                                 : "DIFFERENT");
  for (const std::string& note : answer.notes) text += "note: " + one_line(note) + "\n";
  return text;
}

// Of functions alone: whether B is faster was decided by other runs, and by all functions together.
std::string what_profiles_say(const verbs::CompareAnswer& answer) {
  const reduce::Diff& found = answer.functions;
  if (found.significant_rows > 0) return fmt::format("{} of {} changed", found.significant_rows, found.tested);
  if (found.resolution <= answer.least_difference)
    return fmt::format("none changed by {} of the total or more", percent(answer.least_difference * 100));
  const std::string open =
      fmt::format("none stands out, but changes up to {} of the total cannot be excluded", percent(found.resolution * 100));
  if (answer.more_runs_needed > kMostProfiles) return open;
  return open + fmt::format("; about {} more profiles of each would exclude {}", answer.more_runs_needed,
                            percent(answer.least_difference * 100));
}

std::string functions(const verbs::CompareAnswer& answer) {
  if (answer.profiled_runs < 2) return "where: not profiled; " + one_line(answer.why_no_profile) + "\n";
  const reduce::Diff& found = answer.functions;
  std::string text = fmt::format("where ({} profiles of each, {} run{} in each, {} values per run): {}",
                                 answer.profiled_runs, answer.repeats, answer.repeats == 1 ? "" : "s",
                                 answer.measure == reduce::Measure::Self ? "self" : "total", what_profiles_say(answer));
  text += "\n" + matching_line(answer.matching, "A", "B");
  if (found.rows.empty()) return text;
  Table table(
      {{"A"}, {"B"}, {"change"}, {"ci95"}, {"of all"}, {"", Align::Left}, {answer.by, Align::Left}, {"where", Align::Left}});
  for (const reduce::DiffRow& row : found.rows) {
    const double of_all = found.total_work.base == 0 ? 0 : row.work.delta / found.total_work.base;
    table.add({amount(row.work.base, answer), amount(row.work.fresh, answer), signed_amount(row.work.delta, answer),
               signed_amount(row.work.delta_ci95.low, answer) + ".." + signed_amount(row.work.delta_ci95.high, answer),
               signed_percent(of_all * 100), row.significant ? "*" : "", name(row.entity.name, SIZE_MAX),
               place(row.entity)});
  }
  text += table.render();
  if (found.significant_rows > 0) text += "* significant: at most 5% of these are expected to be chance\n";
  return text;
}

std::string headroom(const verbs::CompareAnswer& answer) {
  if (answer.headroom.empty()) return "";
  std::string text = "left in B:";
  for (const verbs::Headroom& row : answer.headroom)
    text += fmt::format("{} {} {}", &row == &answer.headroom.front() ? "" : ",", percent(row.share * 100),
                        name(row.entity.name, 60));
  return text + "\n";
}

std::string whole(const verbs::CompareAnswer& answer, FollowUpText as) {
  std::string text = verdict_line(answer);
  text += "A: " + one_line(answer.a.command) + "\nB: " + one_line(answer.b.command) + "\n";
  text += times(answer) + circumstances(answer) + functions(answer) + headroom(answer);
  return text + footing(answer.omitted, answer.next, as) + budget_lines(answer.ledger);
}

}  // namespace

std::string render(const verbs::CompareAnswer& answer, FollowUpText as) {
  const auto render_whole = [as](const verbs::CompareAnswer& less, size_t) { return whole(less, as); };
  const std::string text = fitted(answer, as, false, answer.functions.rows.size(), render_whole);
  return text.empty() ? std::string(kTooShort) : text;
}

}  // namespace atys::present::text

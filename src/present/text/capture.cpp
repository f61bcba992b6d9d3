// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "present/text/answers.h"
#include "present/text/brief.h"
#include "present/text/numbers.h"

namespace atys::present::text {

namespace {

std::string rates(const verbs::CaptureAnswer& answer) {
  double lowest = answer.asked_hz;
  double highest = 0;
  for (const verbs::RateGrant& grant : answer.grants) {
    lowest = std::min(lowest, grant.hz);
    highest = std::max(highest, grant.hz);
  }
  if (answer.plan == verbs::CapturePlan::Adaptive) return fmt::format("{:.0f} to {:.0f} Hz", lowest, highest);
  if (lowest >= answer.asked_hz) return fmt::format("{:g} Hz", answer.asked_hz);
  return fmt::format("{:.0f} Hz (asked {:g}; lowest {:.0f})", answer.grants.back().hz, answer.asked_hz, lowest);
}

// What comes once is told beside what sampling costs: it does not grow with the run. Shares of a moment mean nothing.
std::string cost(const verbs::CaptureAnswer& answer) {
  constexpr uint64_t kMomentNs = 500'000'000;
  const double once_ns = static_cast<double>(answer.setup_cpu_ns + answer.first_looks_cpu_ns + answer.finish_cpu_ns);
  if (answer.duration_ns < kMomentNs)
    return fmt::format("sampling cost {:.1f} ms of CPU, and {:.0f} ms once",
                       static_cast<double>(answer.own_cpu_ns + answer.kernel_cpu_ns) / 1e6, once_ns / 1e6);
  const bool is_kept = answer.overhead_percent <= answer.asked_overhead_percent;
  return fmt::format("sampling cost {:.2f}%{} {:g}%{}, and {:.0f} ms of CPU once", answer.overhead_percent,
                     is_kept ? " of at most" : ", more than the", answer.asked_overhead_percent, is_kept ? "" : " asked for",
                     once_ns / 1e6);
}

std::string plan_of(const verbs::CaptureAnswer& answer) {
  if (answer.steps.empty()) return {};
  std::string text = std::string("plan ") + to_string(answer.plan) + ":\n";
  for (const verbs::PlanStep& step : answer.steps) {
    const std::string rate = step.hz > 0 ? fmt::format(" {:.0f} Hz", step.hz) : "";
    text += fmt::format("  {:5.1f} s  {:<6}{:<7}  {}\n", step.from_seconds, to_string(step.kind), rate, name(step.why, 160));
  }
  return text + "\n";
}

// What was recorded, and what of it costs the most: all that there is room for where there is next to none.
std::string in_one_line(const verbs::CaptureAnswer& answer) {
  std::string text =
      "recorded " + (answer.written.id.empty() ? one_line(answer.written.path) : answer.written.id.substr(0, 12));
  if (answer.summary.costliest)
    text += fmt::format("; most in {}, {:.3g}%", name(answer.summary.costliest->entity.name, 60),
                        answer.summary.costliest->percent);
  return text + "\n";
}

}  // namespace

std::string render(const verbs::CaptureAnswer& answer, FollowUpText as) {
  verbs::SummaryAnswer named = answer.summary;
  if (!answer.written.id.empty()) named.profile.name = answer.written.id.substr(0, 12);
  const std::string summary = render(named, as);
  if (summary == kTooShort) return in_one_line(answer) + budget_lines(answer.ledger);
  const size_t first = summary.find('\n') + 1;
  const std::string how = fmt::format("{:.1f} s ({}), tier {}, {}; {}\n", static_cast<double>(answer.duration_ns) / 1e9,
                                      to_string(answer.ended), answer.tier, rates(answer), cost(answer));
  return "recorded " + summary.substr(0, first) + how + plan_of(answer) + summary.substr(first) +
         budget_lines(answer.ledger);
}

}  // namespace atys::present::text

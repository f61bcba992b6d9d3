// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "present/text/answers.h"
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
  if (answer.plan == "adaptive") return fmt::format("{:.0f} to {:.0f} Hz", lowest, highest);
  if (lowest >= answer.asked_hz) return fmt::format("{:g} Hz", answer.asked_hz);
  return fmt::format("{:.0f} Hz (asked {:g}; lowest {:.0f})", answer.grants.back().hz, answer.asked_hz, lowest);
}

std::string plan_of(const verbs::CaptureAnswer& answer) {
  if (answer.steps.empty()) return {};
  std::string text = "plan " + answer.plan + ":\n";
  for (const verbs::PlanStep& step : answer.steps) {
    const std::string rate = step.hz > 0 ? fmt::format(" {:.0f} Hz", step.hz) : "";
    text += fmt::format("  {:5.1f} s  {:<6}{:<7}  {}\n", step.from_seconds, step.kind, rate, name(step.why, 160));
  }
  return text + "\n";
}

// Those of the profile, which the heading of its summary says too: a few that were taken may not be in it.
uint64_t kept_samples(const verbs::CaptureAnswer& answer) {
  const verbs::ProfileInfo& profile = answer.summary.profile;
  return profile.is_count_known ? static_cast<uint64_t>(profile.samples) : answer.samples;
}

}  // namespace

std::string render(const verbs::CaptureAnswer& answer) {
  std::string text =
      fmt::format("recorded {} ({})\n", answer.written.id.empty() ? one_line(answer.written.path) : answer.written.id,
                  one_line(answer.ended));
  text += fmt::format("{:.1f} s, {} samples, tier {}, {}, overhead {:.2f}% of at most {:g}%\n\n",
                      static_cast<double>(answer.duration_ns) / 1e9, kept_samples(answer), answer.tier, rates(answer),
                      answer.overhead_percent, answer.asked_overhead_percent);
  return text + plan_of(answer) + render(answer.summary) + budget_lines(answer.ledger);
}

}  // namespace atys::present::text

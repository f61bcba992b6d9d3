// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "present/text/answers.h"
#include "present/text/numbers.h"

namespace atys::present::text {

namespace {

std::string rates(const verbs::CaptureAnswer& answer) {
  double lowest = answer.asked_hz;
  for (const verbs::RateGrant& grant : answer.grants) lowest = std::min(lowest, grant.hz);
  if (lowest >= answer.asked_hz) return fmt::format("{:g} Hz", answer.asked_hz);
  return fmt::format("{:.0f} Hz (asked {:g}; lowest {:.0f})", answer.grants.back().hz, answer.asked_hz, lowest);
}

}  // namespace

std::string render(const verbs::CaptureAnswer& answer) {
  std::string text =
      fmt::format("recorded {} ({})\n", answer.written.id.empty() ? one_line(answer.written.path) : answer.written.id,
                  one_line(answer.ended));
  text += fmt::format("{:.1f} s, {} samples, tier {}, {}, overhead {:.2f}% of at most {:g}%\n\n",
                      static_cast<double>(answer.duration_ns) / 1e9, answer.samples, answer.tier, rates(answer),
                      answer.overhead_percent, answer.asked_overhead_percent);
  return text + render(answer.summary);
}

}  // namespace atys::present::text

// SPDX-License-Identifier: Apache-2.0
#include "budget/overhead_guard.h"

#include <algorithm>
#include <cmath>

namespace atys::budget {

namespace {

constexpr double kFirstGuessNs = 10'000;  // per sample, until it has been measured; on the safe side
// Below this rate the samples cost next to nothing: lowering it further would lose them and save nothing.
constexpr double kLowestHz = 19;
constexpr double kHeadroom = 0.85;    // of the cap: what one interval may go over must fit into the rest
constexpr double kFastestRise = 1.5;  // per interval; falls are taken at once
constexpr double kSmallestChange = 0.05;
constexpr double kHorizonNs = 5e9;
constexpr double kEnoughSamples = 10;
constexpr double kLongestWaitNs = 2e9;
constexpr size_t kMostGrants = 1000;
constexpr double kNsPerSecond = 1e9;

// The rate that may be tried when nothing is known.
double untried_hz(double cap) { return std::max(kLowestHz, cap * kHeadroom * kNsPerSecond / kFirstGuessNs); }

}  // namespace

OverheadGuard::OverheadGuard(const OverheadPlan& plan) : plan_(plan) {
  costs_.fill(kFirstGuessNs);
  grant(0, std::min(plan.asked_hz, untried_hz(plan.cap)));
}

uint64_t OverheadGuard::allowance(const OverheadReading& reading) {
  return std::max(reading.target_cpu_ns, reading.elapsed_ns);
}

uint64_t OverheadGuard::spent(const OverheadReading& reading) const {
  return reading.own_cpu_ns + reading.kernel_cpu_ns + reading.samples * plan_.interrupt_ns;
}

double OverheadGuard::overhead(const OverheadReading& reading) const {
  const uint64_t of = allowance(reading);
  return of == 0 ? 0 : static_cast<double>(spent(reading)) / static_cast<double>(of);
}

void OverheadGuard::grant(uint64_t elapsed_ns, double hz) {
  granted_hz_ = hz;
  lowest_hz_ = grants_.empty() ? hz : std::min(lowest_hz_, hz);
  if (grants_.size() == kMostGrants) grants_.erase(grants_.begin());
  grants_.push_back({elapsed_ns, hz});
}

double OverheadGuard::ask(uint64_t elapsed_ns, double hz) {
  plan_.asked_hz = hz;
  if (hz < granted_hz_) {
    grant(elapsed_ns, hz);
  } else if (overhead(last_) < kHeadroom * plan_.cap && hz > granted_hz_) {
    // What a sample costs at a low rate, where all else that we do is put on a few of them, says nothing about a high one:
    // as at the beginning, what comes next will tell.
    costs_.fill(kFirstGuessNs);
    grant(elapsed_ns, std::max(granted_hz_, std::min(hz, untried_hz(plan_.cap))));
  }
  return granted_hz_;
}

double OverheadGuard::update(const OverheadReading& reading) {
  const double interval = static_cast<double>(reading.elapsed_ns - last_.elapsed_ns);
  const auto samples = static_cast<double>(reading.samples - last_.samples);
  const auto cost = static_cast<double>(spent(reading) - spent(last_));
  const double allowed = static_cast<double>(allowance(reading) - allowance(last_));
  // A handful of samples says little about what one costs; wait for more, but not for long.
  if (samples < kEnoughSamples && interval < kLongestWaitNs) return granted_hz_;
  last_ = reading;
  if (allowed > 0) recent_ = cost / allowed;
  if (samples <= 0 || allowed <= 0) return granted_hz_;
  // Everything that we spent is put on the samples, also what an interval without samples would cost: on the safe side. The
  // middle of three: the first look at a binary costs once and says nothing about the samples to come.
  std::rotate(costs_.begin(), costs_.begin() + 1, costs_.end());
  costs_.back() = cost / samples;
  const double ns_per_sample = std::max(std::min(costs_[0], costs_[1]), std::min(std::max(costs_[0], costs_[1]), costs_[2]));

  // What may still be spent: of the whole recording where its end is known, else of the next seconds.
  const double pace = allowed / interval;  // CPU that counts per time: cores of the target, at least one
  const double ahead =
      plan_.duration_ns > reading.elapsed_ns ? static_cast<double>(plan_.duration_ns - reading.elapsed_ns) : kHorizonNs;
  const double budget =
      kHeadroom * plan_.cap * (static_cast<double>(allowance(reading)) + pace * ahead) - static_cast<double>(spent(reading));
  const double samples_ahead = std::max(0.0, budget) / ns_per_sample;
  // The rate is per CPU; the target took `samples` in `interval` at the present rate.
  const double samples_per_hz = samples / interval / granted_hz_;
  const double affordable = samples_per_hz > 0 ? samples_ahead / ahead / samples_per_hz : plan_.asked_hz;
  double hz = std::min(plan_.asked_hz, std::max(kLowestHz, std::min(affordable, granted_hz_ * kFastestRise)));
  const bool is_change =
      std::abs(hz - granted_hz_) > kSmallestChange * granted_hz_ || (hz == plan_.asked_hz && hz != granted_hz_);
  if (is_change) grant(reading.elapsed_ns, hz);
  return granted_hz_;
}

}  // namespace atys::budget

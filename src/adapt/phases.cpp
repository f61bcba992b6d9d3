// SPDX-License-Identifier: Apache-2.0
#include "adapt/phases.h"

#include <algorithm>
#include <optional>
#include <string>

#include "adapt/divergence.h"

namespace atys::adapt {

namespace {

constexpr size_t kMostWindows = 48;
constexpr size_t kTop = 12;             // functions that are compared
constexpr double kLeastSamples = 15;    // in a phase
constexpr double kLeastShare = 0.03;    // of all samples
constexpr double kLeastExcess = 0.08;   // bits of divergence above noise: 8 points of 100 that moved elsewhere make 0.08
constexpr double kFalseAlarms = 0.001;  // of a run without phases; shared by all places where it could be cut

// What was sampled from a moment on until the next window begins.
struct Window {
  int64_t from_ns = 0;
  Shares shares;
};

std::vector<Window> windows_of(std::span<const TimedSample> all, double samples) {
  double sum = 0;
  std::vector<int64_t> times;
  for (const TimedSample& sample : all) {
    sum += sample.value;
    times.push_back(sample.time_ns);
  }
  std::ranges::sort(times);
  times.erase(std::unique(times.begin(), times.end()), times.end());
  std::vector<Window> windows;
  if (times.size() < 2 || sum <= 0) return windows;
  const int64_t first = times.front();
  const auto width = static_cast<double>(times.back() - first) / kMostWindows;
  const bool has_few = times.size() <= kMostWindows;
  for (size_t i = 0; i < (has_few ? times.size() : kMostWindows); ++i)
    windows.push_back({has_few ? times[i] : first + static_cast<int64_t>(width * static_cast<double>(i)), {}});
  for (const TimedSample& sample : all) {
    const auto next = std::ranges::upper_bound(windows, sample.time_ns, {}, &Window::from_ns);
    Shares& shares = (next - 1)->shares;
    const double worth = sample.value / sum * samples;
    shares.samples[std::to_string(sample.function)] += worth;
    shares.total += worth;
  }
  return windows;
}

class Cutter {
 public:
  Cutter(const std::vector<Window>& windows, bool may_mix) : windows_(windows), may_mix_(may_mix) {
    for (const Window& window : windows) total_ += window.shares.total;
  }

  // The windows at which phases begin, but for the first.
  std::vector<size_t> cuts() {
    cut(0, windows_.size());
    std::ranges::sort(cuts_);
    return cuts_;
  }

 private:
  Shares sum(size_t begin, size_t end) const {
    Shares shares;
    for (size_t i = begin; i < end; ++i) add(shares, windows_[i].shares);
    return shares;
  }
  bool is_large(const Shares& shares) const { return shares.total >= kLeastSamples && shares.total >= kLeastShare * total_; }

  // Where the two sides differ most: at a change of what is done, and nowhere else, this has its peak.
  std::optional<size_t> best_cut(size_t begin, size_t end) const {
    std::optional<size_t> best;
    double most = 0;
    Shares before;
    for (size_t at = begin + 1; at < end; ++at) {
      add(before, windows_[at - 1].shares);
      const Shares after = sum(at, end);
      if (!is_large(before) || !is_large(after)) continue;
      const Divergence apart = compare(before, after, kTop);
      if (apart.chi_squared <= most || apart.excess() < kLeastExcess) continue;
      if (apart.p_value() * static_cast<double>(windows_.size()) >= kFalseAlarms) continue;
      most = apart.chi_squared;
      best = at;
    }
    return best;
  }

  void cut(size_t begin, size_t end) {
    if (cuts_.size() >= kMostPhases) return;  // that is one too many already
    // A change is rarely just where a window begins. The window that it falls into is a mixture of both sides, and no phase.
    const size_t mixed_first = may_mix_ && begin != 0 ? 1 : 0;
    const size_t mixed_last = may_mix_ && end != windows_.size() ? 1 : 0;
    const auto at = best_cut(begin + mixed_first, end - mixed_last);
    if (!at) return;
    cuts_.push_back(*at);
    cut(begin, *at);
    cut(*at, end);
  }

  const std::vector<Window>& windows_;
  const bool may_mix_;
  double total_ = 0;
  std::vector<size_t> cuts_;
};

}  // namespace

std::vector<Phase> find_phases(std::span<const TimedSample> all, double samples, bool times_are_of_phases) {
  const std::vector<Window> windows = windows_of(all, samples);
  std::vector<Phase> phases;
  if (windows.empty()) return phases;
  const std::vector<size_t> cuts = Cutter(windows, !times_are_of_phases).cuts();
  if (cuts.empty() || cuts.size() >= kMostPhases) return phases;
  int64_t from_ns = windows.front().from_ns;
  for (const size_t cut : cuts) {
    phases.push_back({from_ns, windows[cut].from_ns});
    from_ns = windows[cut].from_ns;
  }
  phases.push_back({from_ns, std::ranges::max_element(all, {}, &TimedSample::time_ns)->time_ns});
  return phases;
}

}  // namespace atys::adapt

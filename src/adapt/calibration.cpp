// SPDX-License-Identifier: Apache-2.0
#include "adapt/calibration.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "adapt/divergence.h"
#include "adapt/pruning.h"
#include "adapt/shares.h"
#include "profile/import.h"
#include "reduce/merge.h"
#include "reduce/top.h"

namespace atys::adapt {

using namespace profile;

namespace {

constexpr double kPercentiles[] = {80, 85, 90, 92.5, 95, 97, 98, 99, 99.5, 99.9, 100};
constexpr double kBounds[] = {0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3};  // points
constexpr int kRepeats = 5;                                                  // of a measurement of time; the least is taken

// How many samples each row stands for; 0: it is left out.
using Weights = std::vector<double>;

int64_t thread_of(const Profile& profile, LabelSetId set) {
  for (const LabelId label : profile.label_sets[set])
    if (profile.text(profile.labels[label].key) == "thread.id") return profile.labels[label].number;
  return 0;
}

std::map<std::string, double> selfs(const Profile& profile, size_t column) {
  std::map<std::string, double> result;
  for (const reduce::TopRow& row : reduce::top(profile, column, reduce::Dimension{}).rows)
    if (row.self > 0) result[row.entity.name + " " + row.entity.file] += row.self;
  return result;
}

class Trial {
 public:
  Trial(const Profile& whole, size_t column, uint64_t (*clock)()) : whole_(whole), column_(column), clock_(clock) {
    truth_ = selfs(whole, column);
    for (const auto& [name, self] : truth_) order_.emplace_back(self, name), total_ += self;
    std::sort(order_.begin(), order_.end(), std::greater<>());
    whole_ns_ = aggregation_ns(Weights(whole.samples.size(), 1));
  }

  PruningPoint measure(double setting, const Weights& weights, double bound) const {
    PruningPoint point{.setting = setting, .error_bound = 100 * bound};
    const std::map<std::string, double> seen = selfs(aggregate(weights), column_);
    const auto kept = static_cast<double>(std::count_if(weights.begin(), weights.end(), [](double w) { return w > 0; }));
    point.rows_saved = weights.empty() ? 0 : 100 * (1 - kept / static_cast<double>(weights.size()));
    point.time_saved = whole_ns_ > 0 ? 100 * (1 - aggregation_ns(weights) / whole_ns_) : 0;
    double errors = 0;
    for (size_t i = 0, of_top = 0; i < order_.size(); ++i) {
      const auto found = seen.find(order_[i].second);
      const double self = found == seen.end() ? 0 : found->second;
      errors += 100 * std::abs(self - order_[i].first) / order_[i].first;
      point.largest_error = std::max(point.largest_error, 100 * std::abs(self - order_[i].first) / total_);
      for (; of_top < 4 && (i + 1 == kTops[of_top] || i + 1 == order_.size()); ++of_top)
        point.mape[of_top] = errors / static_cast<double>(i + 1);
    }
    return point;
  }

 private:
  // What an agent does with a window: carries stacks over, adds rows up.
  Profile aggregate(const Weights& weights) const {
    Profile into;
    Importer importer(whole_, into);
    importer.copy_header();
    std::unordered_map<uint32_t, size_t> rows;
    for (size_t row = 0; row < weights.size(); ++row) {
      if (weights[row] <= 0) continue;
      const StackId stack = importer.stack(whole_.samples.stack(row));
      const auto [found, is_new] = rows.try_emplace(raw(stack), into.samples.size());
      if (is_new) into.samples.add(stack, {}, std::vector<int64_t>(whole_.samples.value_columns()));
      for (size_t column = 0; column < whole_.samples.value_columns(); ++column)
        into.samples.add_value(found->second, column,
                               std::llround(weights[row] * static_cast<double>(whole_.samples.value(row, column))));
    }
    return into;
  }

  double aggregation_ns(const Weights& weights) const {
    double least = INFINITY;
    for (int i = 0; i < kRepeats; ++i) {
      const uint64_t before = clock_();
      (void)reduce::top(aggregate(weights), column_, reduce::Dimension{});
      least = std::min(least, static_cast<double>(clock_() - before));
    }
    return least;
  }

  const Profile& whole_;
  size_t column_;
  uint64_t (*clock_)();
  std::map<std::string, double> truth_;
  std::vector<std::pair<double, std::string>> order_;
  double total_ = 0;
  double whole_ns_ = 0;
};

std::vector<Unit> threads_of(const Profile& profile, size_t column) {
  std::map<uint64_t, double> samples;
  for (size_t row = 0; row < profile.samples.size(); ++row)
    samples[static_cast<uint64_t>(thread_of(profile, profile.samples.labels(row)))] +=
        static_cast<double>(profile.samples.value(row, column));
  std::vector<Unit> units;
  for (const auto& [thread, value] : samples) units.push_back({thread, value});
  return units;
}

void try_threads(const Profile& whole, size_t column, const Trial& trial, Calibration& result) {
  const std::vector<Unit> threads = threads_of(whole, column);
  result.threads = threads.size();
  for (const double percentile : kPercentiles) {
    const Pruning pruning = keep_largest(threads, percentile / 100);
    std::map<uint64_t, bool> stays;
    for (const Pruning::Kept& kept : pruning.kept) stays[kept.key] = true;
    Weights weights(whole.samples.size());
    for (size_t row = 0; row < weights.size(); ++row)
      weights[row] = stays[static_cast<uint64_t>(thread_of(whole, whole.samples.labels(row)))] ? 1 : 0;
    result.by_threads.push_back(trial.measure(percentile, weights, pruning.error_bound));
  }
}

void try_bounds(const Profile& whole, size_t column, const Trial& trial, Calibration& result) {
  std::vector<Unit> rows;
  for (size_t row = 0; row < whole.samples.size(); ++row)
    rows.push_back({row, static_cast<double>(whole.samples.value(row, column))});
  for (const double bound : kBounds) {
    const Pruning pruning = thin_smallest(rows, bound / 100, rows.size());
    Weights weights(whole.samples.size(), 0);
    for (const Pruning::Kept& kept : pruning.kept) weights[kept.key] = kept.weight;
    result.by_error.push_back(trial.measure(bound, weights, pruning.error_bound));
  }
}

Result<> solve(const CalibrationPlan& plan, Calibration& result) {
  std::vector<Point> times;
  std::vector<Point> errors;
  for (const PruningPoint& point : result.by_threads) {
    times.push_back({point.setting, point.time_saved});
    errors.push_back({point.setting, point.mape[3]});
  }
  result.time_curve = TRY(fit(times));
  result.mape_curve = TRY(fit(errors));
  result.percentile = least_kept(result.mape_curve, plan.max_mape);
  for (const PruningPoint& point : result.by_error)
    if (point.mape[3] <= plan.max_mape) result.max_error = std::max(result.max_error, point.setting / 100);
  return {};
}

void compare_windows(std::span<const Profile> windows, const CalibrationPlan& plan, size_t column, Calibration& result) {
  Shares last;
  double seconds = 0;
  for (const Profile& window : windows) {
    const Shares now = shares_of(window, column);
    if (last.total > 0 && now.total > 0) {
      result.divergences.push_back(compare(last, now, plan.top).excess());
      result.plain.push_back(plain_divergence(last, now, plan.top));
    }
    result.samples += now.total;
    seconds += static_cast<double>(window.header.duration_ns) / 1e9;
    last = now;
  }
  result.threshold = propose_threshold(result.divergences);
  result.plain_threshold = propose_threshold(result.plain);
  if (seconds > 0 && plan.hz > 0) result.samples_per_hz_second = result.samples / seconds / plan.hz;
}

}  // namespace

Result<Calibration> calibrate(std::span<const Profile> windows, const CalibrationPlan& plan) {
  Calibration result;
  result.windows = windows.size();
  reduce::Merger merger;
  for (const Profile& window : windows) merger.add(window);
  const Profile whole = merger.finish();
  if (whole.samples.empty())
    return fail(ErrorCode::NotFound, "the service did nothing while it was profiled", "calibrate it under its usual load");
  const size_t column = whole.default_value_column();
  const Trial trial(whole, column, plan.cpu_clock);
  try_threads(whole, column, trial, result);
  try_bounds(whole, column, trial, result);
  TRY(solve(plan, result));
  compare_windows(windows, plan, column, result);
  return result;
}

}  // namespace atys::adapt

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
constexpr double kLargestBound = 1;  // that is proposed: time with callees deserves a bound of its own
constexpr int kRepeats = 5;          // of a measurement of time; the least is taken

// How many samples each row stands for; 0: it is left out.
using Weights = std::vector<double>;

int64_t thread_of(const Profile& profile, LabelSetId set) {
  for (const LabelId label : profile.label_sets[set])
    if (profile.text(profile.labels[label].key) == "thread.id") return profile.labels[label].number;
  return 0;
}

struct Costs {
  std::map<std::string, double> self, total;  // by function
};

Costs costs_of(const Profile& profile, size_t column) {
  Costs costs;
  for (const reduce::TopRow& row : reduce::top(profile, column, reduce::Dimension{}).rows) {
    const std::string name = row.entity.name + " " + row.entity.file;
    if (row.self > 0) costs.self[name] += row.self;
    if (row.total > 0) costs.total[name] += row.total;
  }
  return costs;
}

using Ranking = std::vector<std::pair<double, std::string>>;

Ranking largest_first(const std::map<std::string, double>& costs) {
  Ranking order;
  for (const auto& [name, cost] : costs) order.emplace_back(cost, name);
  std::sort(order.begin(), order.end(), std::greater<>());
  return order;
}

double cost_in(const std::map<std::string, double>& costs, const std::string& name) {
  const auto found = costs.find(name);
  return found == costs.end() ? 0 : found->second;
}

// Mean of the relative errors of the first `top`, per cent.
double mape(const Ranking& truth, const std::map<std::string, double>& seen, size_t top) {
  const size_t count = std::min(top, truth.size());
  double sum = 0;
  for (size_t i = 0; i < count; ++i) sum += std::abs(cost_in(seen, truth[i].second) - truth[i].first) / truth[i].first;
  return count == 0 ? 0 : 100 * sum / static_cast<double>(count);
}

class Trial {
 public:
  Trial(const Profile& whole, size_t column, uint64_t (*clock)()) : whole_(whole), column_(column), clock_(clock) {
    const Costs truth = costs_of(whole, column);
    by_self_ = largest_first(truth.self);
    by_total_ = largest_first(truth.total);
    for (const int64_t value : whole.samples.values(column)) sum_ += static_cast<double>(value);
  }

  PruningPoint measure(double setting, const Weights& weights, double bound) const {
    PruningPoint point{.setting = setting, .error_bound = 100 * bound};
    const Costs seen = costs_of(aggregate(weights), column_);
    const auto kept = static_cast<double>(std::count_if(weights.begin(), weights.end(), [](double w) { return w > 0; }));
    point.rows_saved = weights.empty() ? 0 : 100 * (1 - kept / static_cast<double>(weights.size()));
    point.time_saved = time_saved(weights);
    for (size_t i = 0; i < 4; ++i) point.mape[i] = mape(by_self_, seen.self, kTops[i]);
    point.mape_total = mape(by_total_, seen.total, kTops[3]);
    for (const auto& [total, name] : by_total_)
      point.largest_error = std::max(point.largest_error, 100 * std::abs(cost_in(seen.total, name) - total) / sum_);
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

  // Of the least of several, in turns: whatever else the machine does adds to either.
  double time_saved(const Weights& weights) const {
    const Weights all(whole_.samples.size(), 1);
    double least_all = INFINITY;
    double least = INFINITY;
    for (int i = 0; i < kRepeats; ++i) {
      least_all = std::min(least_all, aggregation_ns(all));
      least = std::min(least, aggregation_ns(weights));
    }
    return least_all > 0 ? 100 * (1 - least / least_all) : 0;
  }

  double aggregation_ns(const Weights& weights) const {
    const uint64_t before = clock_();
    (void)reduce::top(aggregate(weights), column_, reduce::Dimension{});
    return static_cast<double>(clock_() - before);
  }

  const Profile& whole_;
  size_t column_;
  uint64_t (*clock_)();
  Ranking by_self_, by_total_;
  double sum_ = 0;
};

// A number for the function that a stack ends in.
uint64_t leaf_of(const Profile& profile, StackId stack) {
  const auto frames = profile.stacks[stack];
  if (frames.empty()) return 0;
  const auto lines = profile.lines[profile.frames[frames.front()].lines];
  return lines.empty() ? uint64_t{1} << 32 | raw(frames.front()) : raw(lines.front().function);
}

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
    rows.push_back({row, static_cast<double>(whole.samples.value(row, column)), leaf_of(whole, whole.samples.stack(row))});
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
    if (point.mape[3] <= plan.max_mape && point.setting <= kLargestBound)
      result.max_error = std::max(result.max_error, point.setting / 100);
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

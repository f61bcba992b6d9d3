// SPDX-License-Identifier: Apache-2.0
#include "reduce/diff.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "reduce/distance.h"
#include "reduce/in_step.h"
#include "reduce/run_series.h"

namespace atys::reduce {

namespace {

// Rows that are smaller than this share of both sides together are not tested where runs are the replicates: they could
// not matter, and every test makes the others' bound stricter. It looks at both sides at once, so it favours no change.
constexpr double kWorthATest = 0.001;
constexpr double kTotalLevel = 0.05;

using Key = std::tuple<std::string_view, std::string_view, int64_t>;

// Where a function starts may move between versions; it is still that function.
Key key_of(const Entity& entity, bool lines_matter) { return {entity.name, entity.file, lines_matter ? entity.line : 0}; }

double measured(const TopRow& row, Measure measure) { return measure == Measure::Self ? row.self : row.total; }

double share(double value, double total) { return total == 0 ? 0 : value / total; }

double sum(std::span<const double> values) {
  double result = 0;
  for (const double value : values) result += value;
  return result;
}

double mean(std::span<const double> values) { return share(sum(values), static_cast<double>(values.size())); }

// One side of the comparison: its runs, and how much work each did.
class Side {
 public:
  Side(std::span<const Top> runs, std::span<const double> work) : runs_(runs), work_(work) {}

  std::span<const Top> runs() const { return runs_; }
  double total() const {
    double result = 0;
    for (const Top& run : runs_) result += run.value_total;
    return result;
  }
  double samples() const {
    double result = 0;
    for (const Top& run : runs_) result += run.samples;
    return result;
  }
  bool is_count_known() const { return std::ranges::all_of(runs_, &Top::is_count_known); }

  std::vector<double> shares(std::span<const double> values) const {
    std::vector<double> result;
    for (size_t i = 0; i < runs_.size(); ++i) result.push_back(share(values[i], runs_[i].value_total));
    return result;
  }
  std::vector<double> per_work(std::span<const double> values) const {
    std::vector<double> result;
    for (size_t i = 0; i < runs_.size(); ++i) result.push_back(work_.empty() ? values[i] : values[i] / work_[i]);
    return result;
  }
  std::vector<double> totals() const {
    std::vector<double> result;
    for (const Top& run : runs_) result.push_back(run.value_total);
    return result;
  }

  // What sampling does to one run's share, if the share is `p`; not known: nothing.
  double share_variance(double p) const {
    double result = 0;
    if (!is_count_known()) return 0;
    for (const Top& run : runs_) result += p * (1 - p) / std::max(1.0, run.samples);
    return std::max(0.0, result / static_cast<double>(runs_.size()));
  }
  // … and to its value per work, if that is `value`: each sample stands for `unit` of it.
  double work_variance(double value) const { return is_count_known() ? std::max(0.0, value) * unit() : 0; }
  double unit() const {
    double result = 0;
    for (size_t i = 0; i < runs_.size(); ++i)
      result += runs_[i].value_total / std::max(1.0, runs_[i].samples) / (work_.empty() ? 1 : work_[i]);
    return result / static_cast<double>(runs_.size());
  }

 private:
  std::span<const Top> runs_;
  std::span<const double> work_;
};

struct Series {
  DiffRow row;
  std::vector<double> base;
  std::vector<double> fresh;
  double share_p_value = 1;
};

class Differ {
 public:
  Differ(std::span<const Top> base, std::span<const Top> fresh, const DiffOptions& options)
      : options_(options), base_(base, options.base_work), fresh_(fresh, options.fresh_work) {
    result_.has_work = !options.base_work.empty() && !options.fresh_work.empty();
    result_.is_of_runs = base.size() > 1 || fresh.size() > 1;
    // Runs tell by themselves how much they differ, if there are some on each side.
    const bool runs_tell = base.size() > 1 && fresh.size() > 1;
    result_.is_known = runs_tell || (base_.is_count_known() && fresh_.is_count_known());
  }

  Diff run() {
    for (const Side* side : {&base_, &fresh_})
      for (const Top& top : side->runs()) lines_matter_ |= is_by_line(top);
    collect(base_, &Series::base);
    collect(fresh_, &Series::fresh);
    describe();
    std::vector<double> p_values;
    for (auto& [key, series] : series_) {
      fill(series);
      const double both = (series.row.base_share + series.row.fresh_share) / 2;
      if (result_.is_of_runs && both < kWorthATest) continue;
      p_values.push_back(decisive(series).p_value);
      tested_.push_back(&series);
    }
    mark(p_values);
    if (!result_.has_work) tell_in_step();
    conclude();
    take_rows();
    return std::move(result_);
  }

 private:
  void collect(const Side& side, std::vector<double> Series::*into) {
    for (size_t i = 0; i < side.runs().size(); ++i) {
      for (const TopRow& row : side.runs()[i].rows) {
        Series& series = series_[key_of(row.entity, lines_matter_)];
        series.base.resize(base_.runs().size());
        series.fresh.resize(fresh_.runs().size());
        series.row.entity = row.entity;
        (series.*into)[i] += measured(row, options_.measure);
      }
    }
  }

  void describe() {
    result_.base_total = base_.total();
    result_.fresh_total = fresh_.total();
    result_.base_samples = base_.samples();
    result_.fresh_samples = fresh_.samples();
    result_.distance = distance(united(base_), united(fresh_));
    result_.total = work_change(base_.totals(), fresh_.totals());
    if (result_.has_work) result_.total_work = result_.total;
    result_.has_total_change = result_.total.p_value <= kTotalLevel && excludes_zero(result_.total.delta_ci95);
  }

  static bool excludes_zero(const Interval& interval) { return interval.low > 0 || interval.high < 0; }

  // The runs of a side as one.
  Top united(const Side& side) const {
    if (side.runs().size() == 1) return side.runs().front();
    Top all{.value_total = side.total(), .samples = side.samples(), .rows = {}};
    std::map<Key, TopRow> rows;
    for (const Top& run : side.runs())
      for (const TopRow& row : run.rows) {
        TopRow& into = rows[key_of(row.entity, lines_matter_)];
        into.entity = row.entity;
        into.self += row.self;
        into.total += row.total;
      }
    for (auto& [key, row] : rows) all.rows.push_back(std::move(row));
    return all;
  }

  void fill(Series& series) const {
    DiffRow& row = series.row;
    row.base = sum(series.base);
    row.fresh = sum(series.fresh);
    const Change shares = share_change(series);
    row.base_share = shares.base;
    row.fresh_share = shares.fresh;
    row.delta = shares.delta;
    row.delta_ci95 = shares.delta_ci95;
    series.share_p_value = shares.p_value;
    if (result_.has_work) row.work = work_change(series.base, series.fresh);
  }

  Change share_change(const Series& series) const {
    const std::vector<double> base = base_.shares(series.base);
    const std::vector<double> fresh = fresh_.shares(series.fresh);
    Change change{.base = mean(base), .fresh = mean(fresh)};
    change.delta = change.fresh - change.base;
    if (!result_.is_known) {
      change.delta_ci95 = kUnknownInterval;
      return change;
    }
    if (!result_.is_of_runs) {
      change.delta_ci95 = difference_interval(change.base, base_.samples(), change.fresh, fresh_.samples());
      change.p_value = difference_p_value(change.base, base_.samples(), change.fresh, fresh_.samples());
      return change;
    }
    const double pooled = std::clamp((change.base + change.fresh) / 2, 0.0, 1.0);
    const Difference difference = difference_of_means({base, base_.share_variance(pooled), base_.is_count_known()},
                                                      {fresh, fresh_.share_variance(pooled), fresh_.is_count_known()});
    change.delta_ci95 = difference.ci95;
    change.p_value = difference.p_value;
    return change;
  }

  Change work_change(std::span<const double> base_values, std::span<const double> fresh_values) const {
    const std::vector<double> base = base_.per_work(base_values);
    const std::vector<double> fresh = fresh_.per_work(fresh_values);
    Change change{.base = mean(base), .fresh = mean(fresh)};
    change.delta = change.fresh - change.base;
    if (!result_.is_known) {
      change.delta_ci95 = kUnknownInterval;
      return change;
    }
    const double pooled = (change.base + change.fresh) / 2;
    const Difference difference = result_.is_of_runs
                                      ? difference_of_means({base, base_.work_variance(pooled), base_.is_count_known()},
                                                            {fresh, fresh_.work_variance(pooled), fresh_.is_count_known()})
                                      : difference_of_counts({change.base, base_.unit()}, {change.fresh, fresh_.unit()});
    change.delta_ci95 = difference.ci95;
    change.p_value = difference.p_value;
    return change;
  }

  // What significance is about.
  Change decisive(const Series& series) const {
    const DiffRow& row = series.row;
    if (result_.has_work) return row.work;
    return {row.base_share, row.fresh_share, row.delta, row.delta_ci95, series.share_p_value};
  }

  void mark(const std::vector<double>& p_values) {
    const double threshold = false_discovery_threshold(p_values);
    for (size_t i = 0; i < tested_.size(); ++i) {
      const Interval ci95 = decisive(*tested_[i]).delta_ci95;
      tested_[i]->row.significant = p_values[i] <= threshold && excludes_zero(ci95);
      result_.significant_rows += tested_[i]->row.significant ? 1 : 0;
    }
    result_.has_significant_change = result_.significant_rows > 0;
    result_.tested = tested_.size();
  }

  // Of shares that changed, which did so only as most others did.
  void tell_in_step() {
    if (result_.significant_rows == 0) return;
    std::vector<Series*> large;
    std::vector<RowValues> rows;
    for (Series* series : tested_) {
      if (series->row.base_share + series->row.fresh_share < 2 * kWorthATest) continue;
      large.push_back(series);
      rows.push_back({series->base, series->fresh});
    }
    const std::vector<bool> in_step = rows_in_step(rows, totals_of(base_), totals_of(fresh_));
    if (std::ranges::find(in_step, false) == in_step.end()) return;  // in step with whom?
    for (size_t i = 0; i < large.size(); ++i) {
      DiffRow& row = large[i]->row;
      if (!row.significant || !in_step[i]) continue;
      row.significant = false;
      row.is_in_step = true;
      --result_.significant_rows;
    }
    result_.has_significant_change = result_.significant_rows > 0;
  }

  static std::vector<RunTotal> totals_of(const Side& side) {
    std::vector<RunTotal> totals;
    for (const Top& run : side.runs()) totals.push_back({run.value_total, run.is_count_known ? run.samples : 0});
    return totals;
  }

  void conclude() {
    const double whole = result_.has_work ? result_.total_work.base : 1;
    double half = 0;
    for (const Series* series : tested_) {
      const Change change = decisive(*series);
      if (!change.delta_ci95.is_known()) continue;
      result_.resolution =
          std::max({result_.resolution, share(-change.delta_ci95.low, whole), share(change.delta_ci95.high, whole)});
      half = std::max(half, share((change.delta_ci95.high - change.delta_ci95.low) / 2, whole));
    }
    const bool is_fine = result_.resolution <= options_.least_difference;
    if (!result_.has_significant_change && !is_fine)
      result_.times_more_needed = std::max(1.5, std::pow(half / options_.least_difference, 2));
    result_.verdict = result_.has_significant_change ? DiffVerdict::Changed
                      : is_fine                      ? DiffVerdict::NoChange
                                                     : DiffVerdict::Inconclusive;
    // That no function stands out does not make nothing of it.
    if (result_.has_work && result_.has_total_change) result_.verdict = DiffVerdict::Changed;
    if (!result_.is_known) result_.verdict = DiffVerdict::Unknown;
  }

  void take_rows() {
    const auto size = [this](const DiffRow& row) { return std::abs(result_.has_work ? row.work.delta : row.delta); };
    for (auto& [key, series] : series_)
      if (size(series.row) != 0) result_.rows.push_back(std::move(series.row));
    std::ranges::stable_sort(result_.rows, [&](const DiffRow& a, const DiffRow& b) { return size(a) > size(b); });
  }

  const DiffOptions& options_;
  Side base_;
  Side fresh_;
  bool lines_matter_ = false;
  std::map<Key, Series> series_;
  std::vector<Series*> tested_;
  Diff result_;
};

}  // namespace

const char* to_string(DiffVerdict verdict) {
  switch (verdict) {
    case DiffVerdict::Changed: return "changed";
    case DiffVerdict::NoChange: return "no significant change";
    case DiffVerdict::Unknown: return "unknown";
    case DiffVerdict::Inconclusive: break;
  }
  return "inconclusive";
}

Diff diff(std::span<const Top> base, std::span<const Top> fresh, const DiffOptions& options) {
  return Differ(base, fresh, options).run();
}

Diff diff(const Top& base, const Top& fresh, Measure measure) {
  return diff({&base, 1}, {&fresh, 1}, {.measure = measure, .base_work = {}, .fresh_work = {}});
}

}  // namespace atys::reduce

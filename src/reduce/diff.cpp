// SPDX-License-Identifier: Apache-2.0
#include "reduce/diff.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "reduce/distance.h"
#include "reduce/run_series.h"

namespace atys::reduce {

namespace {

// Rows that are smaller than this share of both sides together are not tested where runs are the replicates: they could
// not matter, and every test makes the others' bound stricter. It looks at both sides at once, so it favours no change.
constexpr double kWorthATest = 0.001;

using Key = std::tuple<std::string_view, std::string_view, int64_t>;

// Where a function starts may move between versions; it is still that function.
Key key_of(const Entity& entity, bool lines_matter) { return {entity.name, entity.file, lines_matter ? entity.line : 0}; }

double measured(const TopRow& row, Measure measure) { return measure == Measure::Self ? row.self : row.total; }

bool has_lines(const Top& top) {
  std::map<std::pair<std::string_view, std::string_view>, int> seen;
  return std::ranges::any_of(top.rows, [&](const TopRow& row) { return ++seen[{row.entity.name, row.entity.file}] > 1; });
}

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

  std::vector<double> shares(std::span<const double> values) const {
    std::vector<double> result;
    for (size_t i = 0; i < runs_.size(); ++i) result.push_back(share(values[i], runs_[i].value_total));
    return result;
  }
  std::vector<double> per_work(std::span<const double> values) const {
    std::vector<double> result;
    for (size_t i = 0; i < runs_.size(); ++i) result.push_back(values[i] / work_[i]);
    return result;
  }
  std::vector<double> totals() const {
    std::vector<double> result;
    for (const Top& run : runs_) result.push_back(run.value_total);
    return result;
  }

  // What sampling does to one run's share, if the share is `p`.
  double share_variance(double p) const {
    double result = 0;
    for (const Top& run : runs_) result += p * (1 - p) / std::max(1.0, run.samples);
    return std::max(0.0, result / static_cast<double>(runs_.size()));
  }
  // … and to its value per work, if that is `value`: each sample stands for `unit` of it.
  double work_variance(double value) const { return std::max(0.0, value) * unit(); }
  double unit() const {
    double result = 0;
    for (size_t i = 0; i < runs_.size(); ++i) result += runs_[i].value_total / std::max(1.0, runs_[i].samples) / work_[i];
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
  }

  Diff run() {
    for (const Side* side : {&base_, &fresh_})
      for (const Top& top : side->runs()) lines_matter_ |= has_lines(top);
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
    if (result_.has_work) result_.total_work = work_change(base_.totals(), fresh_.totals());
  }

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
    if (!result_.is_of_runs) {
      change.delta_ci95 = difference_interval(change.base, base_.samples(), change.fresh, fresh_.samples());
      change.p_value = difference_p_value(change.base, base_.samples(), change.fresh, fresh_.samples());
      return change;
    }
    const double pooled = std::clamp((change.base + change.fresh) / 2, 0.0, 1.0);
    const Difference difference =
        difference_of_means({base, base_.share_variance(pooled)}, {fresh, fresh_.share_variance(pooled)});
    change.delta_ci95 = difference.ci95;
    change.p_value = difference.p_value;
    return change;
  }

  Change work_change(std::span<const double> base_values, std::span<const double> fresh_values) const {
    const std::vector<double> base = base_.per_work(base_values);
    const std::vector<double> fresh = fresh_.per_work(fresh_values);
    Change change{.base = mean(base), .fresh = mean(fresh)};
    change.delta = change.fresh - change.base;
    const double pooled = (change.base + change.fresh) / 2;
    const Difference difference =
        result_.is_of_runs ? difference_of_means({base, base_.work_variance(pooled)}, {fresh, fresh_.work_variance(pooled)})
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
      tested_[i]->row.significant = p_values[i] <= threshold && (ci95.low > 0 || ci95.high < 0);
      result_.has_significant_change |= tested_[i]->row.significant;
    }
    result_.tested = tested_.size();
  }

  void conclude() {
    const double whole = result_.has_work ? result_.total_work.base : 1;
    double half = 0;
    for (const Series* series : tested_) {
      const Change change = decisive(*series);
      result_.resolution =
          std::max({result_.resolution, share(-change.delta_ci95.low, whole), share(change.delta_ci95.high, whole)});
      half = std::max(half, share((change.delta_ci95.high - change.delta_ci95.low) / 2, whole));
    }
    if (result_.has_significant_change) {
      result_.verdict = DiffVerdict::Changed;
    } else if (result_.resolution > options_.least_difference) {
      result_.verdict = DiffVerdict::Inconclusive;
      result_.times_more_needed = std::max(1.5, std::pow(half / options_.least_difference, 2));
    }
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

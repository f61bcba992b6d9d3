// SPDX-License-Identifier: Apache-2.0
#include "reduce/next_pass.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace atys::reduce {

namespace {

constexpr double kShortestPass = 0.2;    // seconds; less is not worth the looking
constexpr double kMostlyWaiting = 0.25;  // of one core
constexpr double kFewestSamples = 300;   // below, shares are no more than a hint
constexpr size_t kRowsThatMatter = 5;
constexpr double kShareThatMatters = 0.03;
constexpr double kHalfWidth = 0.02;  // of a share that counts as known
constexpr double kChance = 0.001;    // that halves of a steady program are called different, per function
constexpr double kZ = 1.96;
constexpr double kShareForLines = 0.1;   // of a function whose lines are of interest
constexpr double kSamplesForLines = 96;  // tell a line's share of its function to ten points

using Key = std::tuple<std::string, std::string, std::string>;
Key key_of(const Entity& entity) { return {entity.name, entity.file, entity.module}; }

double share(const Top& top, double value) { return top.value_total > 0 ? value / top.value_total : 0; }

double self_of(const Top& top, const Key& key) {
  const auto found = std::ranges::find_if(top.rows, [&](const TopRow& row) { return key_of(row.entity) == key; });
  return found == top.rows.end() ? 0 : found->self;
}

std::string short_name(const std::string& name) { return name.size() <= 60 ? name : name.substr(0, 57) + "..."; }

// Samples that a share needs to be known to kHalfWidth.
double samples_for(double of_all) { return kZ * kZ * of_all * (1 - of_all) / (kHalfWidth * kHalfWidth); }

class Rule {
 public:
  explicit Rule(const PassEvidence& seen) : seen_(seen), samples_(seen.whole.samples) {}

  NextPass decide() const {
    if (seen_.seconds_left < kShortestPass) return stop("the budget is used up");
    if (seen_.can_see_waits && seen_.target_cpu_seconds + seen_.ready_seconds < kMostlyWaiting * seen_.seconds)
      return {PassKind::Waits, seen_.seconds_left, seen_.hz,
              fmt::format("it ran for {:.0f}% of the time: where it waits tells more",
                          100 * seen_.target_cpu_seconds / std::max(seen_.seconds, 1e-9))};
    if (samples_ < kFewestSamples)
      return more(PassKind::Finer, kFewestSamples, fmt::format("{:.0f} samples are too few", samples_));
    if (const std::string changed = changed_function(); !changed.empty())
      return {PassKind::Longer, within(seen_.seconds), seen_.hz, changed};
    const auto [needed, widest] = samples_needed();
    if (samples_ < needed) return more(PassKind::Longer, needed, "the share of " + widest + " is not known to two points");
    if (const double lines = samples_for_lines(); samples_ < lines)
      return more(PassKind::Lines, lines,
                  "too few samples to tell the lines of " + short_name(seen_.whole.rows[0].entity.name));
    return stop(
        fmt::format("the answer would not change: {:.0f} samples, both halves agree, shares of hot functions are "
                    "known to two points",
                    samples_));
  }

 private:
  static NextPass stop(std::string why) { return {PassKind::Stop, 0, 0, std::move(why)}; }
  // No pass is more than twice as long as all before it: what it was meant to find may be found much sooner.
  double within(double seconds) const {
    return std::clamp(seconds, kShortestPass, std::min(seen_.seconds_left, std::max(1.0, 2 * seen_.seconds)));
  }

  // Time until there are `needed` samples, at a higher rate where the time left would not do or where that is the point.
  NextPass more(PassKind kind, double needed, std::string why) const {
    const double per_second = samples_ / std::max(seen_.seconds, 1e-9);
    if (samples_ < 1) return {PassKind::Longer, within(std::max(seen_.seconds, 1.0)), seen_.hz, "nothing was seen yet"};
    const double missing = std::max(needed - samples_, 1.0);
    double seconds = missing / per_second;
    if (seen_.is_of_waits) return {PassKind::Longer, within(seconds), seen_.hz, std::move(why)};
    const double aim = kind == PassKind::Finer ? seen_.seconds : seen_.seconds_left / 2;
    double hz = seen_.hz;
    if (seconds > aim) hz = std::min(seen_.highest_hz, seen_.hz * seconds / std::max(aim, kShortestPass));
    hz = std::max(hz, seen_.hz);
    seconds *= seen_.hz / hz;
    const bool is_finer = hz > seen_.hz * 1.05;
    if (kind != PassKind::Lines) kind = is_finer ? PassKind::Finer : PassKind::Longer;
    return {kind, within(seconds), hz, std::move(why)};
  }

  // A hot function whose share in the one half cannot be that in the other.
  std::string changed_function() const {
    const Top second = since(seen_.whole, seen_.first_half);
    if (seen_.first_half.samples < 30 || second.samples < 30) return {};
    for (const Top* half : {&seen_.first_half, &second}) {
      const size_t rows = std::min(kRowsThatMatter, half->rows.size());
      for (size_t i = 0; i < rows; ++i) {
        const Key key = key_of(half->rows[i].entity);
        const double before = share(seen_.first_half, self_of(seen_.first_half, key));
        const double after = share(second, self_of(second, key));
        if (std::max(before, after) < kShareThatMatters || std::abs(before - after) < kHalfWidth) continue;
        if (difference_p_value(before, seen_.first_half.samples, after, second.samples) < kChance)
          return fmt::format("the halves differ: {} had {:.0f}% and then {:.0f}%", short_name(half->rows[i].entity.name),
                             before * 100, after * 100);
      }
    }
    return {};
  }

  std::pair<double, std::string> samples_needed() const {
    double most = 0;
    std::string name;
    const size_t rows = std::min(kRowsThatMatter, seen_.whole.rows.size());
    for (size_t i = 0; i < rows; ++i) {
      const double of_all = share(seen_.whole, seen_.whole.rows[i].self);
      if (of_all < kShareThatMatters || samples_for(of_all) <= most) continue;
      most = samples_for(of_all);
      name = short_name(seen_.whole.rows[i].entity.name);
    }
    return {most, name};
  }

  double samples_for_lines() const {
    if (seen_.is_of_waits || seen_.whole.rows.empty() || seen_.whole.rows[0].entity.file.empty()) return 0;
    const double of_all = share(seen_.whole, seen_.whole.rows[0].self);
    return of_all < kShareForLines ? 0 : kSamplesForLines / of_all;
  }

  const PassEvidence& seen_;
  double samples_;
};

}  // namespace

NextPass next_pass(const PassEvidence& evidence) { return Rule(evidence).decide(); }

Top since(const Top& whole, const Top& earlier) {
  std::map<Key, const TopRow*> before;
  for (const TopRow& row : earlier.rows) before[key_of(row.entity)] = &row;
  Top rest;
  rest.value_total = std::max(0.0, whole.value_total - earlier.value_total);
  rest.samples = std::max(0.0, whole.samples - earlier.samples);
  for (const TopRow& row : whole.rows) {
    TopRow left = row;
    if (const auto found = before.find(key_of(row.entity)); found != before.end()) {
      left.self = std::max(0.0, left.self - found->second->self);
      left.total = std::max(0.0, left.total - found->second->total);
    }
    left.self_share_ci95 = share_interval(share(rest, left.self), rest.samples);
    if (left.total > 0) rest.rows.push_back(std::move(left));
  }
  std::ranges::stable_sort(rest.rows, [](const TopRow& a, const TopRow& b) { return a.self > b.self; });
  return rest;
}

}  // namespace atys::reduce

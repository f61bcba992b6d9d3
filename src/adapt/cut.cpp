// SPDX-License-Identifier: Apache-2.0
#include "adapt/cut.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

namespace atys::adapt {

namespace {

constexpr size_t kParts = 32;
constexpr double kMostUntimed = 0.1;  // of the window, for the rest to speak for all of it
constexpr double kDoubt = 3;          // of the logarithm of the likelihood: one in twenty
constexpr double kCertain = 1000;
constexpr double kLeastSure = 2;        // standard errors: of what is seen once or twice it is chance where that is
constexpr double kLaterAsLikelyAs = 8;  // parts of the window: a change that is seen in the next one most often is of it
constexpr double kMostUncertain = 0.7;  // of the window: then it is as good as one piece

using Counts = std::map<std::string, double>;

// How much a sample in a function speaks for what was before, by how differently often it is seen.
Counts weigh(const Counts& before, double before_total, const Counts& window, double window_total) {
  Counts names = before;
  names.insert(window.begin(), window.end());
  const auto share = [](const Counts& counts, const std::string& name, double total) {
    const auto found = counts.find(name);
    return found == counts.end() ? 0 : found->second / total;
  };
  Counts weights;
  for (const auto& [name, samples] : names) {
    const double was = share(before, name, before_total);
    const double is = share(window, name, window_total);
    const double middle = (was + is) / 2;
    const double by_chance = std::sqrt((middle * (1 - middle) + 1 / window_total) / window_total);
    if (std::abs(was - is) < kLeastSure * by_chance) continue;
    weights[name] = (was - is) / (middle * (1 - middle) + 1 / window_total);
  }
  return weights;
}

double score(const Counts& weights, const Counts& counts) {
  double sum = 0;
  for (const auto& [name, samples] : counts)
    if (const auto found = weights.find(name); found != weights.end()) sum += found->second * samples;
  return sum;
}

struct Part {
  double samples = 0;
  double score = 0;  // of all of them
};

size_t part_of(const Profile& window, size_t row) {
  const double since = static_cast<double>(window.samples.time_ns(row) - window.header.time_ns);
  const double part = since / static_cast<double>(window.header.duration_ns) * kParts;
  return static_cast<size_t>(std::clamp(part, 0.0, double{kParts - 1}));
}

int64_t begin_of(const Profile& window, size_t part) {
  return window.header.time_ns + window.header.duration_ns / static_cast<int64_t>(kParts) * static_cast<int64_t>(part);
}

Profile only_part(const Profile& window, size_t part) {
  Profile only = window;
  for (size_t of = 0; of < only.value_types().size(); ++of) {
    const auto values = only.samples.mutable_values(of);
    for (size_t row = 0; row < values.size(); ++row)
      if (window.samples.time_ns(row) == 0 || part_of(window, row) != part) values[row] = 0;
  }
  return only;
}

bool has_times(const Profile& window, size_t column) {
  double all = 0;
  double untimed = 0;
  for (size_t row = 0; row < window.samples.size(); ++row) {
    const auto value = static_cast<double>(window.samples.value(row, column));
    all += value;
    if (window.samples.time_ns(row) == 0) untimed += value;
  }
  return window.header.duration_ns > 0 && all > 0 && untimed <= kMostUntimed * all;
}

double misfit(const Part& part, double mean) {
  if (part.samples <= 0) return 0;
  const double off = part.score - part.samples * mean;
  return off * off / part.samples;
}

double mean_from(const std::vector<Part>& parts, size_t first) {
  Part sum;
  for (size_t i = first; i < parts.size(); ++i) {
    sum.samples += parts[i].samples;
    sum.score += parts[i].score;
  }
  return sum.samples > 0 ? sum.score / sum.samples : 0;
}

struct Means {
  double before = 0;
  std::optional<double> after;  // nothing: that of what comes after the change
};

// Of each part being the first that is not as before, and of none being so: how badly that fits.
std::vector<double> misfits(const std::vector<Part>& parts, const Means& means) {
  std::vector<double> sums;
  for (size_t first = 0; first <= parts.size(); ++first) {
    const double after = means.after ? *means.after : mean_from(parts, first);
    double sum = 0;
    for (size_t i = 0; i < parts.size(); ++i) sum += misfit(parts[i], i < first ? means.before : after);
    sums.push_back(sum);
  }
  return sums;
}

// The first and the last part with which it may have begun; as many as there are parts: with none.
struct Range {
  size_t first = 0;
  size_t last = 0;
};

// How much less likely than the best each is, as a logarithm.
std::vector<double> doubts(const std::vector<Part>& parts, const Means& means) {
  std::vector<double> sums = misfits(parts, means);
  const double best = *std::ranges::min_element(sums);
  const auto used = std::ranges::count_if(parts, [](const Part& part) { return part.samples > 0; });
  const double variance = best / static_cast<double>(std::max<std::ptrdiff_t>(1, used - 2));
  for (double& sum : sums) sum = variance > 0 ? (sum - best) / (2 * variance) : sum > best ? kCertain : 0;
  return sums;
}

Range likely(const std::vector<double>& doubts) {
  const auto may_be = [](double doubt) { return doubt <= kDoubt; };
  Range range{.first = static_cast<size_t>(std::ranges::find_if(doubts, may_be) - doubts.begin()),
              .last = doubts.size() - 1};
  while (!may_be(doubts[range.last])) --range.last;
  return range;
}

// The part with which it began, on average over all that it may be.
double expected(const std::vector<double>& doubts) {
  double sum = 0;
  double weights = 0;
  for (size_t part = 0; part < doubts.size(); ++part) {
    const double weight = std::exp(-doubts[part]) * (part + 1 == doubts.size() ? kLaterAsLikelyAs : 1);
    sum += weight * static_cast<double>(part);
    weights += weight;
  }
  return sum / weights;
}

// What tells both sides apart, and what each part of a window says of it.
class Scale {
 public:
  Scale(const Shares& before, const Shares& after)
      : own_(weigh(before.samples, before.total, after.samples, after.total)),
        within_(weigh(before.within, before.total, after.within, after.total)) {}

  double of(const Shares& shares) const { return score(own_, shares.samples) + score(within_, shares.within); }
  double mean(const Shares& shares) const { return of(shares) / shares.total; }
  std::vector<Part> parts(const Profile& window, size_t column) const {
    std::vector<Part> parts;
    for (size_t i = 0; i < kParts; ++i) {
      const Shares shares = shares_of(only_part(window, i), column);
      parts.push_back({shares.total, of(shares)});
    }
    return parts;
  }

 private:
  Counts own_;
  Counts within_;
};

}  // namespace

std::optional<Cut> find_cut(const Shares& before, const Profile& window, size_t column) {
  if (before.total <= 0 || !has_times(window, column)) return std::nullopt;
  const Scale scale(before, shares_of(window, column));
  const Range range = likely(doubts(scale.parts(window, column), {.before = scale.mean(before), .after = {}}));
  // A change lies somewhere in a part, not at its border.
  const size_t from = range.first == 0 ? 0 : range.first - 1;
  const size_t to = std::min(kParts, range.last + 1);
  if (static_cast<double>(to - from) > kMostUncertain * kParts) return std::nullopt;
  return Cut{begin_of(window, from), to == kParts ? INT64_MAX : begin_of(window, to)};
}

std::optional<int64_t> find_beginning(const Shares& before, const Profile& window, const Shares& after, size_t column) {
  if (before.total <= 0 || after.total <= 0 || !has_times(window, column)) return std::nullopt;
  const Scale scale(before, after);
  const std::vector<double> all =
      doubts(scale.parts(window, column), {.before = scale.mean(before), .after = scale.mean(after)});
  if (all.back() <= kDoubt) return std::nullopt;
  const double part = expected(all);
  return begin_of(window, 0) + static_cast<int64_t>(part / kParts * static_cast<double>(window.header.duration_ns));
}

}  // namespace atys::adapt

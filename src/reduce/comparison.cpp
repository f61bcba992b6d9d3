// SPDX-License-Identifier: Apache-2.0
#include "reduce/comparison.h"

#include <algorithm>
#include <cmath>

#include "reduce/paired_ratio.h"

namespace atys::reduce {

namespace {

constexpr double kMostTimesMore = 1000;

// By how much the interval has to shrink so that something is decided, 0 to 1, if the median stays where it is.
double needed_shrinking(double middle, double half, double floor, double least) {
  if (half <= 0) return 0;
  if (middle <= least) return (least - middle) / half;
  return std::min((middle - least) / half, middle / (half + floor));
}

size_t more_pairs(size_t pairs, double shrinking) {
  if (!(shrinking > 0)) return 0;
  const double factor = 1 / (shrinking * shrinking);
  if (factor > kMostTimesMore) return 0;
  return static_cast<size_t>(std::max(1.0, std::ceil(static_cast<double>(pairs) * (factor - 1))));
}

}  // namespace

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::Faster: return "faster";
    case Verdict::Slower: return "slower";
    case Verdict::Same: return "same";
    case Verdict::Inconclusive: break;
  }
  return "inconclusive";
}

Judgement judge(std::span<const double> a, std::span<const double> b, const JudgeOptions& options) {
  const std::vector<double> ratios = log_ratios(a, b);
  const double middle = median(ratios);
  const Interval interval = median_interval(ratios, options.level, options.seed);
  const double floor = noise_floor(a, ratios.size(), options.seed);
  const double least = std::log1p(options.least_difference);
  const double threshold = std::max(least, floor);

  Judgement judgement{.pairs = ratios.size(), .ratio = std::exp(middle)};
  judgement.ratio_ci95 = {std::exp(interval.low), std::exp(interval.high)};
  judgement.sign_p = sign_test(ratios);
  judgement.signed_rank_p = signed_rank_test(ratios);
  judgement.noise_floor = std::expm1(floor);
  judgement.threshold = std::expm1(threshold);
  const bool differs = judgement.signed_rank_p <= options.level;
  if (differs && interval.high < -threshold) {
    judgement.verdict = Verdict::Faster;
  } else if (differs && interval.low > threshold) {
    judgement.verdict = Verdict::Slower;
  } else if (interval.low > -least && interval.high < least) {
    judgement.verdict = Verdict::Same;
  } else if (std::isfinite(interval.low)) {
    const double half = std::max(interval.high - middle, middle - interval.low);
    judgement.more_pairs = more_pairs(ratios.size(), needed_shrinking(std::abs(middle), half, floor, least));
  }
  return judgement;
}

}  // namespace atys::reduce

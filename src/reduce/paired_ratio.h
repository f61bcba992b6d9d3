// SPDX-License-Identifier: Apache-2.0
// By how much one of two things takes longer, from pairs of runs made side by side. Everything is done on logarithms of
// ratios, so that A against B and B against A say the same, and on medians, so that a few disturbed runs do not matter.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reduce/confidence.h"

namespace atys::reduce {

// ln(b ÷ a) of each pair; pairs without a positive value on both sides say nothing and are left out.
std::vector<double> log_ratios(std::span<const double> a, std::span<const double> b);

double median(std::vector<double> values);  // of none: 0

// Interval of the median at a two-sided level (0.05: 95 %) by bias-corrected and accelerated bootstrap (Efron 1987), never
// narrower than the sign test's own (exact, from order statistics): a bootstrap of few values is too sure of itself.
Interval median_interval(std::span<const double> values, double level, uint64_t seed);

// Exact two-sided p-values of 'as likely above zero as below'. Zeros are left out.
double sign_test(std::span<const double> values);
// Wilcoxon's signed ranks, exact also with ties; normal approximation above 100 values.
double signed_rank_test(std::span<const double> values);

// How far apart a thing and itself come out, in 19 of 20 cases, when `pairs` pairs are compared: by such comparisons made of
// the differences between neighbouring runs of one side, drawn with a random sign. In logarithms.
double noise_floor(std::span<const double> runs, size_t pairs, uint64_t seed);

}  // namespace atys::reduce

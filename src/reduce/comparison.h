// SPDX-License-Identifier: Apache-2.0
// Is B faster than A? The verdict on runs made in pairs: docs/decisions/0014 gives the method and its limits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "reduce/confidence.h"

namespace atys::reduce {

enum class Verdict { Faster, Slower, Same, Inconclusive };  // what B is, beside A
const char* to_string(Verdict verdict);

struct JudgeOptions {
  double level = 0.05;             // two-sided: that of this look (see sequential.h)
  double least_difference = 0.02;  // smaller ones do not matter to anybody
  uint64_t seed = 1;
};

struct Judgement {
  size_t pairs = 0;
  double ratio = 1;          // B ÷ A, the median over pairs
  Interval ratio_ci95;       // at the level of the look: 95 % over all looks
  double sign_p = 1;         // exact
  double signed_rank_p = 1;  // exact
  double noise_floor = 0;    // what comparing A with itself so often would show, 0.01: 1 %
  double threshold = 0;      // a difference must be surely larger than this: the larger of least_difference and the noise
  Verdict verdict = Verdict::Inconclusive;
  size_t more_pairs = 0;  // of Inconclusive: about how many more would decide, 0: nobody can say
};

// `a` and `b` are in the order of the pairs, and of the same length.
//
// Faster or slower: the whole interval is beyond the threshold, and the signed-rank test passes at the level of the look.
// Same: the whole interval is within ±least_difference; noise makes nothing the same.
Judgement judge(std::span<const double> a, std::span<const double> b, const JudgeOptions& options);

}  // namespace atys::reduce

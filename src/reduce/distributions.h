// SPDX-License-Identifier: Apache-2.0
// The distributions that tests and intervals are made of.
#pragma once

namespace atys::reduce {

double normal_cdf(double z);
// For probabilities strictly between 0 and 1; beyond, ±infinity.
double normal_quantile(double probability);

// P(|T| ≥ |t|) of Student's distribution; degrees need not be whole.
double student_two_sided_p(double t, double degrees);
// The t with P(|T| ≥ t) = p.
double student_two_sided_quantile(double p, double degrees);

// P(X ≥ x) of the chi-squared distribution.
double chi_squared_p(double x, double degrees);

}  // namespace atys::reduce

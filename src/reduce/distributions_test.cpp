// SPDX-License-Identifier: Apache-2.0
#include "reduce/distributions.h"

#include <gtest/gtest.h>

#include <cmath>

namespace atys::reduce {

TEST(distributions, give_the_figures_of_tables) {
  EXPECT_NEAR(normal_cdf(1.96), 0.9750, 1e-4);
  EXPECT_NEAR(normal_quantile(0.975), 1.959964, 1e-6);
  EXPECT_NEAR(normal_quantile(0.001), -3.090232, 1e-6);
  EXPECT_NEAR(student_two_sided_p(2.228, 10), 0.05, 1e-4);
  EXPECT_NEAR(student_two_sided_p(12.706, 1), 0.05, 1e-5);
  EXPECT_NEAR(student_two_sided_quantile(0.01, 5), 4.0321, 1e-3);
  EXPECT_NEAR(student_two_sided_quantile(0.05, 1e6), 1.95996, 1e-4);
  EXPECT_NEAR(chi_squared_p(3.841459, 1), 0.05, 1e-6);
  EXPECT_NEAR(chi_squared_p(27.877165, 9), 0.001, 1e-8);
  EXPECT_NEAR(chi_squared_p(0.2107, 2), 0.9, 1e-4);
  EXPECT_NEAR(chi_squared_p(0, 5), 1, 1e-12);
  EXPECT_NEAR(chi_squared_p(1e6, 5), 0, 1e-12);
}

TEST(distributions, quantiles_undo_probabilities) {
  for (const double p : {1e-9, 0.003, 0.2, 0.5, 0.8, 0.999}) EXPECT_NEAR(normal_cdf(normal_quantile(p)), p, 1e-12);
  for (const double degrees : {1.0, 2.5, 7.0, 40.0})
    for (const double p : {1e-6, 0.01, 0.3, 0.9})
      EXPECT_NEAR(student_two_sided_p(student_two_sided_quantile(p, degrees), degrees), p, 1e-9);
  EXPECT_TRUE(std::isinf(normal_quantile(0)));
}

}  // namespace atys::reduce

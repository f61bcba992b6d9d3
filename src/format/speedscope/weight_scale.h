// SPDX-License-Identifier: Apache-2.0
// Turns weights, which in JSON may have a fraction, into whole numbers of a smaller unit. Whole numbers stay exact; what a
// fraction loses in rounding is carried to the next weight, so that totals stay true.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

#include "base/json.h"
#include "format/speedscope/json_path.h"

namespace atys::format::speedscope {

class WeightScale {
 public:
  explicit WeightScale(int64_t scale) : scale_(scale) {}

  // None: not a number, or too large for 64 bits.
  std::optional<int64_t> weight(const Json& number) {
    if (number.is_number_integer()) return scaled_integer(number);
    return rounded(number, carry_);
  }

  // A position on an axis of weights: nothing is carried, or positions would drift.
  std::optional<int64_t> position(const Json& number) {
    if (number.is_number_integer()) return scaled_integer(number);
    long double no_carry = 0;
    return rounded(number, no_carry);
  }

  // How many numbers were not whole. The noise of 0.1 ms being no binary fraction does not count.
  uint64_t rounded_count() const { return rounded_count_; }

 private:
  std::optional<int64_t> scaled_integer(const Json& number) const {
    int64_t result = 0;
    if (!fits_int64(number) || __builtin_mul_overflow(number.get<int64_t>(), scale_, &result)) return std::nullopt;
    return result;
  }

  std::optional<int64_t> rounded(const Json& number, long double& carry) {
    constexpr long double kLargest = 9.2e18L;
    constexpr long double kNoise = 1e-3L;
    if (!number.is_number_float()) return std::nullopt;
    const long double exact = static_cast<long double>(number.get<double>()) * static_cast<long double>(scale_);
    if (!(std::fabs(exact) < kLargest)) return std::nullopt;
    if (std::fabs(exact - std::round(exact)) > kNoise) ++rounded_count_;
    const long double whole = std::round(exact + carry);
    carry += exact - whole;
    return static_cast<int64_t>(whole);
  }

  int64_t scale_;
  long double carry_ = 0;
  uint64_t rounded_count_ = 0;
};

}  // namespace atys::format::speedscope

// SPDX-License-Identifier: Apache-2.0
#include "adapt/pooling.h"

#include <cmath>
#include <optional>

#include "reduce/confidence.h"

namespace atys::adapt {

namespace {

std::optional<size_t> column_of(const Profile& profile, const std::string& type) {
  for (size_t column = 0; column < profile.value_types().size(); ++column)
    if (profile.text(profile.value_types()[column].type) == type) return column;
  return std::nullopt;
}

double total(const Profile& profile, size_t column) {
  double sum = 0;
  for (const int64_t value : profile.samples.values(column)) sum += static_cast<double>(value);
  return sum;
}

// What rounding loses of one row is carried to the next, so that the total is right to the unit.
void scale(Profile& profile, size_t column, double factor) {
  double carried = 0;
  for (int64_t& value : profile.samples.mutable_values(column)) {
    const double exact = static_cast<double>(value) * factor + carried;
    value = std::llround(exact);
    carried = exact - static_cast<double>(value);
  }
}

}  // namespace

void WindowPool::add(const Profile& window) {
  const std::optional<size_t> column = column_of(window, value_type_);
  const double value = column ? total(window, *column) : 0;
  if (value <= 0) return merger_.add(window);
  const double weight = reduce::effective_samples(window, *column) / value;
  if (first_weight_ == 0) first_weight_ = weight;
  values_ += value;
  Profile weighted = window;
  scale(weighted, *column, weight / first_weight_);
  merger_.add(weighted);
}

Profile WindowPool::finish() {
  Profile pooled = merger_.finish();
  const std::optional<size_t> column = column_of(pooled, value_type_);
  if (const double sum = column ? total(pooled, *column) : 0; sum > 0) scale(pooled, *column, values_ / sum);
  return pooled;
}

}  // namespace atys::adapt

// SPDX-License-Identifier: Apache-2.0
#include "adapt/pooling.h"

#include <cmath>
#include <iterator>
#include <optional>

#include "adapt/mixture.h"
#include "adapt/shares.h"
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

// The stacks and the column alone, `value` of it in all: samples, losses and the like are told elsewhere.
Profile shaped(const Profile& like, size_t column, double value) {
  Profile shape = like;
  for (size_t other = 0; other < shape.value_types().size(); ++other)
    if (other != column)
      for (int64_t& zero : shape.samples.mutable_values(other)) zero = 0;
  scale(shape, column, value / total(shape, column));
  shape.losses.clear();
  shape.overhead = {};
  shape.header.duration_ns = 0;
  return shape;
}

}  // namespace

void WindowPool::add(const Profile& window, uint64_t stretch_number, size_t windows) {
  const std::optional<size_t> column = column_of(window, value_type_);
  const double value = column ? total(window, *column) : 0;
  if (value <= 0) return rest_.add(window);
  Stretch& stretch = stretches_[stretch_number];
  const double weight = reduce::effective_samples(window, *column) / value;
  if (stretch.windows == 0) stretch.first_weight = weight;
  Profile weighted = window;
  scale(weighted, *column, weight / stretch.first_weight);
  stretch.pooled = stretch.windows == 0 ? std::move(weighted) : reduce::merge(stretch.pooled, weighted);
  stretch.value += value;
  stretch.windows += windows;
}

void WindowPool::settle(Stretch& stretch) const {
  const size_t column = *column_of(stretch.pooled, value_type_);
  scale(stretch.pooled, column, stretch.value / total(stretch.pooled, column));
}

// What only the window itself knows (samples, losses, times) stays; where its time went is told by those around it.
void WindowPool::add_told_by_neighbours(const Stretch& before, const Stretch& window, const Stretch& after,
                                        reduce::Merger& merger) const {
  const size_t column = *column_of(window.pooled, value_type_);
  const size_t before_column = *column_of(before.pooled, value_type_);
  const size_t after_column = *column_of(after.pooled, value_type_);
  const Mixture mixture = fit_mixture(shares_of(before.pooled, before_column), shares_of(window.pooled, column),
                                      shares_of(after.pooled, after_column));
  if (!mixture.fits) return merger.add(window.pooled);
  Profile own = window.pooled;
  for (int64_t& value : own.samples.mutable_values(column)) value = 0;
  merger.add(own);
  const double of_before = std::floor(window.value * mixture.before);
  if (of_before > 0) merger.add(shaped(before.pooled, before_column, of_before));
  if (window.value > of_before) merger.add(shaped(after.pooled, after_column, window.value - of_before));
}

Profile WindowPool::finish() {
  for (auto& [number, stretch] : stretches_) settle(stretch);
  for (auto at = stretches_.begin(); at != stretches_.end(); ++at) {
    const bool is_between = at->second.windows == 1 && at != stretches_.begin() && std::next(at) != stretches_.end() &&
                            std::prev(at)->second.windows > 1 && std::next(at)->second.windows > 1;
    if (is_between)
      add_told_by_neighbours(std::prev(at)->second, at->second, std::next(at)->second, rest_);
    else
      rest_.add(at->second.pooled);
  }
  stretches_.clear();
  return rest_.finish();
}

}  // namespace atys::adapt

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

constexpr double kTimesAsMany = 4;  // samples, for a stretch to know better than a window of its own

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

// When it was, what it cost and what was lost: said of what is asked for alone.
void forget_circumstances(Profile& profile) {
  profile.losses.clear();
  profile.overhead = {};
  profile.provenance.clear();
  profile.header.time_ns = 0;
  profile.header.duration_ns = 0;
  profile.header.id = {};
  profile.header.comments.clear();
}

// The stacks and the column alone, `value` of it in all: samples, losses and the like are told elsewhere.
Profile shaped(const Profile& like, size_t column, double value) {
  Profile shape = like;
  for (size_t other = 0; other < shape.value_types().size(); ++other)
    if (other != column)
      for (int64_t& zero : shape.samples.mutable_values(other)) zero = 0;
  scale(shape, column, value / total(shape, column));
  forget_circumstances(shape);
  return shape;
}

}  // namespace

void WindowPool::add(const Profile& windows, Place place) {
  const std::optional<size_t> column = column_of(windows, value_type_);
  if (!column || total(windows, *column) <= 0) {
    if (place.is_asked_for) rest_.add(windows);
    return;
  }
  Stretch& stretch = stretches_[place.stretch];
  stretch.is_alone = place.is_alone;
  add(place.is_newest ? stretch.newest : stretch.windows, windows, *column, place.is_asked_for);
}

void WindowPool::add(Pool& pool, const Profile& windows, size_t column, bool is_asked_for) const {
  const double value = total(windows, column);
  const double samples = reduce::effective_samples(windows, column);
  const double weight = samples / value;
  if (pool.is_empty()) pool.first_weight = weight;
  Profile weighted = windows;
  scale(weighted, column, weight / pool.first_weight);
  if (is_asked_for)
    pool.value += value;
  else
    forget_circumstances(weighted);
  pool.pooled = pool.is_empty() ? std::move(weighted) : reduce::merge(pool.pooled, weighted);
  pool.samples += samples;
}

// As much of the column as was asked for, shaped by all that is known.
void WindowPool::settle(Pool& pool) const {
  if (pool.is_empty() || pool.value <= 0) return;
  const size_t column = *column_of(pool.pooled, value_type_);
  scale(pool.pooled, column, pool.value / total(pool.pooled, column));
}

// What only the window itself knows (samples, losses, times) stays; where its time went is told by those around it. False:
// it is nothing of what they are, or must be some of both and is not for sure.
bool WindowPool::tell_by_neighbours(const Pool& before, const Pool& window, const Pool& after, bool must_be_mixed) {
  const size_t column = *column_of(window.pooled, value_type_);
  const size_t before_column = *column_of(before.pooled, value_type_);
  const size_t after_column = *column_of(after.pooled, value_type_);
  const Mixture mixture = fit_mixture(shares_of(before.pooled, before_column), shares_of(window.pooled, column),
                                      shares_of(after.pooled, after_column));
  if (!mixture.fits || (must_be_mixed && 1 - mixture.before < mixture.error)) return false;
  if (window.value <= 0) return true;
  Profile own = window.pooled;
  for (int64_t& value : own.samples.mutable_values(column)) value = 0;
  rest_.add(own);
  const double of_before = std::floor(window.value * mixture.before);
  if (of_before > 0) rest_.add(shaped(before.pooled, before_column, of_before));
  if (window.value > of_before) rest_.add(shaped(after.pooled, after_column, window.value - of_before));
  return true;
}

bool WindowPool::can_tell(const Pool& known, const Pool& window) { return known.samples >= kTimesAsMany * window.samples; }

// Before a window that shows a change, the one before may hold the beginning of it; else it is one of its stretch.
void WindowPool::place_newest(Stretches::iterator at) {
  Stretch& stretch = at->second;
  if (stretch.newest.is_empty()) return;
  const auto between = std::next(at);
  const auto after = between == stretches_.end() ? between : std::next(between);
  const bool may_be_mixed = after != stretches_.end() && between->second.is_alone &&
                            can_tell(stretch.windows, stretch.newest) && can_tell(after->second.windows, stretch.newest);
  if (may_be_mixed && tell_by_neighbours(stretch.windows, stretch.newest, after->second.windows, true)) return;
  settle(stretch.newest);
  add(stretch.windows, stretch.newest.pooled, *column_of(stretch.newest.pooled, value_type_), stretch.newest.value > 0);
}

Profile WindowPool::finish() {
  for (auto at = stretches_.begin(); at != stretches_.end(); ++at) place_newest(at);
  for (auto at = stretches_.begin(); at != stretches_.end(); ++at) {
    const auto after = std::next(at);
    const bool is_between = at->second.is_alone && at != stretches_.begin() && after != stretches_.end() &&
                            can_tell(std::prev(at)->second.windows, at->second.windows) &&
                            can_tell(after->second.windows, at->second.windows);
    settle(at->second.windows);
    if (is_between && tell_by_neighbours(std::prev(at)->second.windows, at->second.windows, after->second.windows, false))
      continue;
    if (at->second.windows.value > 0) rest_.add(at->second.windows.pooled);
  }
  stretches_.clear();
  return rest_.finish();
}

}  // namespace atys::adapt

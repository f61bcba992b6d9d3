// SPDX-License-Identifier: Apache-2.0
#include "adapt/pooling.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "adapt/mixture.h"
#include "adapt/shares.h"
#include "adapt/stretch.h"
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
  if (place.is_newest || role_of(place.stretch) != Role::Alike) stretch.last = place;
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

bool WindowPool::can_tell(const Pool& known, const Pool& window) { return known.samples >= kTimesAsMany * window.samples; }

// The windows of a stretch, if they know better than that window; else null.
const WindowPool::Pool* WindowPool::known(uint64_t stretch, const Pool& window) const {
  const auto found = stretches_.find(with_role(stretch, Role::Alike));
  return found != stretches_.end() && can_tell(found->second.windows, window) ? &found->second.windows : nullptr;
}

// What only the window itself knows (samples, losses, times) stays; where its time went is told by those around it.
void WindowPool::keep_circumstances(const Pool& window) {
  Profile own = window.pooled;
  for (int64_t& value : own.samples.mutable_values(*column_of(own, value_type_))) value = 0;
  rest_.add(own);
}

void WindowPool::take_shape(const Pool& side, double value) {
  if (value > 0) rest_.add(shaped(side.pooled, *column_of(side.pooled, value_type_), value));
}

Shares WindowPool::shares(const Pool& pool) const { return shares_of(pool.pooled, *column_of(pool.pooled, value_type_)); }

// False: it is not what that side is.
bool WindowPool::tell_by_one(const Pool* side, const Pool& window) {
  if (side == nullptr || !is_like(shares(*side), shares(window))) return false;
  if (window.value <= 0) return true;
  keep_circumstances(window);
  take_shape(*side, window.value);
  return true;
}

void WindowPool::tell(const Pool& before, const Pool& window, const Pool& after, double part_before) {
  if (window.value <= 0) return;
  keep_circumstances(window);
  const double of_before = std::floor(window.value * part_before);
  take_shape(before, of_before);
  take_shape(after, window.value - of_before);
}

// False: it is nothing of what they are.
bool WindowPool::tell_by_both(uint64_t stretch, const Pool& window) {
  const Pool* before = known(stretch, window);
  const Pool* after = known(next_stretch(stretch), window);
  if (before == nullptr || after == nullptr) return false;
  const Mixture mixture = fit_mixture(shares(*before), shares(window), shares(*after));
  if (mixture.fits) tell(*before, window, *after, mixture.before);
  return mixture.fits;
}

// Null: there was none, or it was later than the last window that is of the stretch.
const Place* WindowPool::change_after(uint64_t stretch) const {
  if (stretches_.contains(with_role(stretch, Role::Before))) return nullptr;
  for (const Role role : {Role::Mixed, Role::After})
    if (const auto found = stretches_.find(with_role(stretch, role)); found != stretches_.end()) return &found->second.last;
  return nullptr;
}

// False: for all that is known the newest window is of its stretch.
bool WindowPool::tell_beginning(uint64_t number, const Stretch& stretch) {
  const Pool& window = stretch.newest;
  const Place* change = change_after(number);
  const Pool* before = known(number, window);
  const Pool* after = known(next_stretch(number), window);
  if (change == nullptr || before == nullptr || after == nullptr) return false;
  if (change->began_ns != 0 && change->window_ns > stretch.last.window_ns) {
    const auto since = [&](int64_t time_ns) { return static_cast<double>(time_ns - stretch.last.window_ns); };
    tell(*before, window, *after, std::clamp(since(change->began_ns) / since(change->window_ns), 0.0, 1.0));
    return true;
  }
  const Mixture mixture = fit_mixture(shares(*before), shares(window), shares(*after));
  if (!mixture.fits || 1 - mixture.before < mixture.error) return false;
  tell(*before, window, *after, mixture.before);
  return true;
}

bool WindowPool::tell_by_neighbours(uint64_t stretch, const Pool& window) {
  const Role role = role_of(stretch);
  if (role == Role::Before && tell_by_one(known(stretch, window), window)) return true;
  if (role == Role::After && tell_by_one(known(next_stretch(stretch), window), window)) return true;
  return role != Role::Alike && tell_by_both(stretch, window);
}

// The last window of a stretch may hold the beginning of what comes next; else it is one of its stretch.
void WindowPool::place_newest(uint64_t number, Stretch& stretch) {
  if (stretch.newest.is_empty() || tell_beginning(number, stretch)) return;
  settle(stretch.newest);
  add(stretch.windows, stretch.newest.pooled, *column_of(stretch.newest.pooled, value_type_), stretch.newest.value > 0);
}

Profile WindowPool::finish() {
  for (auto& [number, stretch] : stretches_) place_newest(number, stretch);
  for (auto& [number, stretch] : stretches_) {
    settle(stretch.windows);
    if (!tell_by_neighbours(number, stretch.windows) && stretch.windows.value > 0) rest_.add(stretch.windows.pooled);
  }
  stretches_.clear();
  return rest_.finish();
}

}  // namespace atys::adapt

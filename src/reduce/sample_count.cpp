// SPDX-License-Identifier: Apache-2.0
#include "reduce/sample_count.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string_view>

#include "profile/kinds.h"

namespace atys::reduce {

using namespace profile;

namespace {

constexpr double kNearlyAll = 0.99;  // of a column's value: so much must be in rows that another column counts

bool is_count(const Profile& profile, const ValueType& type) {
  const std::string_view unit = profile.text(type.unit);
  return unit == "count" || unit == "samples";
}

// "samples", "wall_samples", "cycles_sample".
bool counts_samples(const Profile& profile, const ValueType& type) {
  const std::string_view name = profile.text(type.type);
  if (!is_count(profile, type)) return false;
  if (profile.text(type.unit) == "samples" || name == "samples" || name == "sample") return true;
  return name.ends_with("_samples") || name.ends_with("_sample");
}

// Things that were looked at one by one: each is an observation.
bool counts_things_seen(const Profile& profile, const ValueType& type) {
  const std::string_view name = profile.text(type.type);
  return is_count(profile, type) && (name == "goroutine" || name == "threadcreate" || name == "threads");
}

bool counts_events(const Profile& profile, const ValueType& type) {
  const std::string_view name = profile.text(type.type);
  return is_count(profile, type) && (name == "waits" || name.ends_with("contentions") || name.ends_with("_objects"));
}

// Of a kind of ours whose samples weigh what they are: objects, contentions. That it is ours the period tells, which Go's
// heap profiles have in another type: their objects are scaled up and no samples.
bool counts_samples_of_kind(const Profile& profile, const ValueType& type) {
  const KindRow* kind = find_kind_of_weight(profile.text(profile.header.period_type.type));
  return kind != nullptr && kind->counts_samples && is_count(profile, type) &&
         profile.text(type.type) == kind->columns.count &&
         profile.text(profile.header.period_type.unit) == kind->columns.unit;
}

bool is_said_to_count(const Profile& profile, const ValueType& type) {
  return std::ranges::any_of(profile.provenance, [&](const Fact& fact) {
    return profile.text(fact.key) == kSamplesIn && profile.text(fact.value) == profile.text(type.type);
  });
}

double magnitude(const Profile& profile, size_t row, size_t column) {
  return std::abs(static_cast<double>(profile.samples.value(row, column)));
}

// Whether `counts` has a number wherever `column` has a value.
bool covers(const Profile& profile, size_t counts, size_t column) {
  double all = 0;
  double covered = 0;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    const double value = magnitude(profile, row, column);
    all += value;
    if (profile.samples.value(row, counts) > 0) covered += value;
  }
  return all > 0 && covered >= kNearlyAll * all;
}

// The column of that kind that counts the rows of `column`: the nearest before it, else the nearest after it.
template <typename IsOfKind>
std::optional<size_t> counting_column(const Profile& profile, size_t column, const IsOfKind& is_of_kind) {
  const size_t types = profile.value_types().size();
  for (size_t step = 0; step < types; ++step) {
    const size_t other = step <= column ? column - step : step;
    if (is_of_kind(profile, profile.value_types()[other]) && (other == column || covers(profile, other, column)))
      return other;
  }
  return std::nullopt;
}

// "space" is what Go's heap profiles call the unit of all of their bytes.
bool is_in_period(const Profile& profile, const ValueType& type) {
  const ValueType& period = profile.header.period_type;
  if (profile.header.period <= 0 || profile.text(type.unit) != profile.text(period.unit)) return false;
  const std::string_view of_period = profile.text(period.type);
  const std::string_view of_column = profile.text(type.type);
  // A period of one event says only that events were counted.
  if (is_count(profile, type) && profile.header.period == 1) return false;
  return of_column == of_period || (of_period == "space" && of_column.ends_with("_space"));
}

// "alloc" of alloc_objects and of alloc_space.
std::string_view stem(std::string_view type) { return type.substr(0, std::min(type.rfind('_'), type.size())); }

// The column whose values divided by the period are numbers of samples: the column itself, or its bytes.
std::optional<size_t> period_column(const Profile& profile, size_t column) {
  const auto& types = profile.value_types();
  if (is_in_period(profile, types[column])) return column;
  for (size_t other = 0; other < types.size(); ++other)
    if (is_in_period(profile, types[other]) && counts_events(profile, types[column]) &&
        stem(profile.text(types[other].type)) == stem(profile.text(types[column].type)))
      return other;
  return std::nullopt;
}

bool has_time_of_each(const Profile& profile) {
  for (size_t row = 0; row < profile.samples.size(); ++row)
    if (profile.samples.time_ns(row) == 0) return false;
  return !profile.samples.empty() && profile.samples.has_times();
}

using CountOfRow = std::function<double(size_t row)>;  // none: not known

CountOfRow counts_of(const Profile& profile, size_t column) {
  const ValueType& type = profile.value_types()[column];
  const auto in_column = [&profile](size_t counts) {
    return [&profile, counts](size_t row) { return static_cast<double>(profile.samples.value(row, counts)); };
  };
  if (counts_things_seen(profile, type) || is_said_to_count(profile, type)) return in_column(column);
  if (const auto counts = counting_column(profile, column, counts_samples)) return in_column(*counts);
  if (const auto counts = counting_column(profile, column, counts_samples_of_kind)) return in_column(*counts);
  if (const auto period = period_column(profile, column)) {
    const auto each = static_cast<double>(profile.header.period);
    return [&profile, each, from = *period](size_t row) { return magnitude(profile, row, from) / each; };
  }
  if (const auto counts = counting_column(profile, column, counts_events)) return in_column(*counts);
  if (has_time_of_each(profile)) return [](size_t) { return 1.0; };
  return nullptr;
}

}  // namespace

SampleCount count_samples(const Profile& profile, size_t column) {
  const CountOfRow counts = counts_of(profile, column);
  SampleCount result{.is_known = counts != nullptr || profile.samples.empty()};
  double sum = 0;
  double squares = 0;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    const double value = magnitude(profile, row, column);
    if (value == 0) continue;
    const double count = counts ? std::max(1.0, counts(row)) : 1;
    result.samples += count;
    sum += value;
    squares += value * value / count;
  }
  if (squares > 0) result.effective = sum * sum / squares;
  return result;
}

}  // namespace atys::reduce

// SPDX-License-Identifier: Apache-2.0
#include "store/embedded/read_plan.h"

#include <algorithm>
#include <optional>

#include "store/embedded/calendar.h"

namespace atys::store {

namespace {

constexpr int kMinutesOfHour = 60;

using Minutes = std::array<std::optional<Level>, kMinutesOfDay>;

// The level for each minute, as if everything were kept.
Minutes ideal(int64_t day_ns, const ReadNeeds& needs) {
  Minutes minutes;
  for (int hour = 0; hour < kMinutesOfDay / kMinutesOfHour; ++hour) {
    const int64_t hour_ns = day_ns + hour * kHourNs;
    if (needs.from_ns >= hour_ns + kHourNs || needs.to_ns <= hour_ns) continue;
    const bool whole_hour = needs.from_ns <= hour_ns && needs.to_ns >= hour_ns + kHourNs;
    for (int i = 0; i < kMinutesOfHour; ++i) {
      const int64_t start = hour_ns + i * kMinuteNs;
      if (needs.from_ns >= start + kMinuteNs || needs.to_ns <= start) continue;
      const bool whole_minute = needs.from_ns <= start && needs.to_ns >= start + kMinuteNs;
      const Level fits = whole_hour ? Level::Hours : whole_minute ? Level::Minutes : Level::Windows;
      minutes[static_cast<size_t>(hour * kMinutesOfHour + i)] = std::min(fits, needs.coarsest);
    }
  }
  return minutes;
}

// Replaces levels that are not kept any more by coarser ones.
void fall_back(int64_t day_ns, const ReadNeeds& needs, const std::array<int64_t, kLevels>& kept, Minutes& minutes,
               ReadPlan& plan) {
  for (int i = 0; i < kMinutesOfDay; ++i) {
    auto& level = minutes[static_cast<size_t>(i)];
    const int64_t start = day_ns + i * kMinuteNs;
    if (!level || start >= kept[static_cast<size_t>(*level)]) continue;
    plan.exact = false;
    plan.dropped = true;
    if (needs.windows_only) {
      level.reset();
    } else if (*level == Level::Windows && start >= kept[static_cast<size_t>(Level::Minutes)]) {
      level = Level::Minutes;
    } else if (*level != Level::Hours) {
      // An hour is all or nothing; what was planned for its other minutes is in it.
      const int first = i / kMinutesOfHour * kMinutesOfHour;
      std::fill_n(minutes.begin() + first, kMinutesOfHour, Level::Hours);
    }
  }
}

}  // namespace

ReadPlan plan_day(int64_t day_ns, const ReadNeeds& needs, const std::array<int64_t, kLevels>& kept_from_ns) {
  ReadPlan plan;
  Minutes minutes = ideal(day_ns, needs);
  fall_back(day_ns, needs, kept_from_ns, minutes, plan);
  for (int i = 0; i < kMinutesOfDay; ++i) {
    const auto& level = minutes[static_cast<size_t>(i)];
    if (!level) continue;
    int64_t from = day_ns + i * kMinuteNs;
    int64_t to = from + kMinuteNs;
    if (*level == Level::Windows) {
      from = std::max(from, needs.from_ns);
      to = std::min(to, needs.to_ns);
    }
    if (!plan.spans.empty() && plan.spans.back().level == *level && plan.spans.back().to_ns == from) {
      plan.spans.back().to_ns = to;
    } else {
      plan.spans.push_back({*level, from, to});
    }
  }
  return plan;
}

}  // namespace atys::store

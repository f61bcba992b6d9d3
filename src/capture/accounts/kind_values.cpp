// SPDX-License-Identifier: Apache-2.0
#include "capture/accounts/kind_values.h"

#include "linux/event_names.h"

namespace atys::capture {

namespace {

constexpr std::string_view kNanoseconds = "nanoseconds";

// "event:cpu-clock": an event that is time.
bool is_clock(const Kind& kind) {
  if (!kind.row->is_every_event()) return false;
  const auto event = linux::find_event(kind.event);
  return event.ok() && event->is_clock;
}

}  // namespace

native::ValueNames value_names(const Kind& kind) {
  const profile::KindRow::Columns& columns = kind.row->columns;
  return {.count_type = std::string(columns.count),
          .weight_type = columns.weight.empty() ? kind.event : std::string(columns.weight),
          .weight_unit = std::string(is_clock(kind) ? kNanoseconds : columns.unit),
          .has_waits = kind.row->waits};
}

int64_t sample_period(const Kind& kind, uint64_t period_ns) {
  return kind.row->period == 0 || is_clock(kind) ? static_cast<int64_t>(period_ns) : kind.row->period;
}

}  // namespace atys::capture

// SPDX-License-Identifier: Apache-2.0
// Which events are samples, and what they count. A further event is a line in the table of event_rules.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace atys::format::jfr {

// Events that count the same thing share a pair of value columns.
enum class Family : uint8_t { Cpu, Wall, Native, Alloc, Live, Lock, NativeLock, Malloc };
inline constexpr size_t kFamilies = 8;

struct FamilyColumns {
  std::string_view count;  // in "count"
  std::string_view weight;
  std::string_view unit;  // of the weight
};

const FamilyColumns& columns_of(Family family);

inline constexpr std::string_view kExecutionSample = "jdk.ExecutionSample";

// Where the weight of an event comes from.
enum class Weight : uint8_t {
  Interval,  // every event, or each of its `samples`, stands for the interval between two
  Bytes,     // of memory
  Duration,  // of the event itself
};

struct EventRule {
  std::string_view event;
  Family family;
  Weight weight;
  std::string_view interval_event;  // whose settings say the interval
};

// Null: not a sample.
const EventRule* rule_of(std::string_view event);

// What of an event's fields is used, whatever the event.
enum Slot : int {
  kThread,
  kStack,
  kState,
  kSamples,
  kStartTime,
  kDuration,
  kPeriod,
  kWeight,
  kSize,
  kTlabSize,
  kObjectClass,
  kSlots,
};

int slot_of(std::string_view field);  // -1: not used

}  // namespace atys::format::jfr

// SPDX-License-Identifier: Apache-2.0
#include "format/jfr/event_rules.h"

#include <utility>

namespace atys::format::jfr {

namespace {

constexpr std::array<FamilyColumns, kFamilies> kColumns{{
    {"samples", "cpu", "nanoseconds"},
    {"wall_samples", "wall", "nanoseconds"},
    {"native_samples", "native", "nanoseconds"},
    {"alloc_objects", "alloc_space", "bytes"},
    {"inuse_objects", "inuse_space", "bytes"},
    {"contentions", "lock", "nanoseconds"},
    {"native_contentions", "native_lock", "nanoseconds"},
    {"malloc_objects", "malloc_space", "bytes"},
}};

constexpr std::array<EventRule, 12> kRules{{
    {kExecutionSample, Family::Cpu, Weight::Interval, kExecutionSample},
    {"jdk.CPUTimeSample", Family::Cpu, Weight::Interval, "jdk.CPUTimeSample"},
    // A thread in native code may as well wait there: this is no time of a processor.
    {"jdk.NativeMethodSample", Family::Native, Weight::Interval, "jdk.NativeMethodSample"},
    {"profiler.WallClockSample", Family::Wall, Weight::Interval, kExecutionSample},
    {"jdk.ObjectAllocationInNewTLAB", Family::Alloc, Weight::Bytes, ""},
    {"jdk.ObjectAllocationOutsideTLAB", Family::Alloc, Weight::Bytes, ""},
    {"jdk.ObjectAllocationSample", Family::Alloc, Weight::Bytes, ""},
    {"profiler.LiveObject", Family::Live, Weight::Bytes, ""},
    {"profiler.Malloc", Family::Malloc, Weight::Bytes, ""},
    {"jdk.JavaMonitorEnter", Family::Lock, Weight::Duration, ""},
    {"jdk.ThreadPark", Family::Lock, Weight::Duration, ""},
    {"profiler.NativeLock", Family::NativeLock, Weight::Duration, ""},
}};

constexpr std::array<std::pair<std::string_view, Slot>, 15> kFields{{
    {"eventThread", kThread},
    {"sampledThread", kThread},
    {"stackTrace", kStack},
    {"state", kState},
    {"samples", kSamples},
    {"startTime", kStartTime},
    {"duration", kDuration},
    {"samplingPeriod", kPeriod},
    {"weight", kWeight},
    {"allocationSize", kSize},
    {"size", kSize},
    {"tlabSize", kTlabSize},
    {"objectClass", kObjectClass},
    {"monitorClass", kObjectClass},
    {"parkedClass", kObjectClass},
}};

}  // namespace

const FamilyColumns& columns_of(Family family) { return kColumns[static_cast<size_t>(family)]; }

const EventRule* rule_of(std::string_view event) {
  for (const EventRule& rule : kRules) {
    if (rule.event == event) return &rule;
  }
  return nullptr;
}

int slot_of(std::string_view field) {
  for (const auto& [name, slot] : kFields) {
    if (name == field) return slot;
  }
  return -1;
}

}  // namespace atys::format::jfr

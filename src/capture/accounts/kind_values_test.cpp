// SPDX-License-Identifier: Apache-2.0
#include "capture/accounts/kind_values.h"

#include <gtest/gtest.h>

#include "linux/event_names.h"

namespace atys::capture {
namespace {

constexpr uint64_t kPeriodNs = 10'101'010;

Kind kind(std::string_view text) { return Kind::parse(text).take(); }

TEST(kind_values, are_named_by_the_table_and_by_events) {
  EXPECT_EQ(value_names(kind("off-cpu")).count_type, "waits");
  EXPECT_TRUE(value_names(kind("wall")).has_waits);
  EXPECT_FALSE(value_names(kind("cpu")).has_waits);
  const native::ValueNames misses = value_names(kind("event:cache-misses:u"));
  EXPECT_EQ(misses.weight_type, "cache-misses:u");
  EXPECT_EQ(misses.weight_unit, "count");
  EXPECT_EQ(value_names(kind("event:task-clock")).weight_unit, "nanoseconds");
}

// A rate says nothing of how many bytes lie between two samples.
TEST(kind_values, have_a_period_in_their_own_unit) {
  for (const char* name : {"cpu", "off-cpu", "wall", "event:cpu-clock"})
    EXPECT_EQ(sample_period(kind(name), kPeriodNs), static_cast<int64_t>(kPeriodNs)) << name;
  EXPECT_EQ(sample_period(kind("alloc"), kPeriodNs), 524'288);
  EXPECT_EQ(value_names(kind("alloc")).weight_unit, "bytes");
  EXPECT_EQ(sample_period(kind("lock"), kPeriodNs), 10'000);
  EXPECT_EQ(sample_period(kind("event:cache-misses"), kPeriodNs), 1);
}

// A row that names an event has a recorder only if there is that event.
TEST(kind_values, of_events_are_of_those_that_there_are) {
  for (const profile::KindRow& row : profile::kinds())
    EXPECT_TRUE(row.event.empty() || linux::find_event(row.event).ok()) << row.name;
}

}  // namespace
}  // namespace atys::capture

// SPDX-License-Identifier: Apache-2.0
#include "linux/event_names.h"

#include <gtest/gtest.h>

#include "linux/pmu.h"

namespace atys::linux {
namespace {

TEST(event_names, finds_events_by_the_names_that_people_use) {
  const auto faults = find_event("page-faults");
  ASSERT_TRUE(faults.ok());
  EXPECT_EQ(faults->attributes.type, PERF_TYPE_SOFTWARE);
  EXPECT_FALSE(faults->is_hardware);
  const auto cycles = find_event("cycles:ppu");
  ASSERT_TRUE(cycles.ok());
  EXPECT_EQ(cycles->attributes.precise_ip, 2u);
  EXPECT_EQ(cycles->attributes.exclude_kernel, 1u);
  EXPECT_FALSE(cycles->skid.empty());
  const auto raw = find_event("r01c2");
  ASSERT_TRUE(raw.ok());
  EXPECT_EQ(raw->attributes.type, PERF_TYPE_RAW);
  EXPECT_EQ(raw->attributes.config, 0x1c2u);
}

TEST(event_names, says_what_there_is_when_there_is_no_such_event) {
  const auto unknown = find_event("page-fauls");
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.error().hint.find("page-faults"), std::string::npos);
  EXPECT_FALSE(find_event("cycles:x").ok());
  EXPECT_FALSE(find_event("../etc:passwd").ok());
  EXPECT_FALSE(find_event("no_such_pmu/event=1/").ok());
  EXPECT_FALSE(find_event("").ok());
}

TEST(event_names, places_values_in_the_bits_that_a_format_names) {
  PerfAttributes attributes{};
  ASSERT_TRUE(place_bits("config:0-7,32-35", 0x3ab, attributes).ok());
  EXPECT_EQ(attributes.config, 0x3000000abu);
  ASSERT_TRUE(place_bits("config1:3", 1, attributes).ok());
  EXPECT_EQ(attributes.config1, 8u);
  EXPECT_FALSE(place_bits("config:0-7", 256, attributes).ok());
  EXPECT_FALSE(place_bits("config:x", 1, attributes).ok());
}

}  // namespace
}  // namespace atys::linux

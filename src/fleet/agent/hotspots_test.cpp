// SPDX-License-Identifier: Apache-2.0
#include "fleet/agent/hotspots.h"

#include <gtest/gtest.h>

#include <array>

#include "fleet/window_labels.h"

namespace atys::fleet {

namespace {

constexpr uint64_t kMinute = 60'000'000'000;

// Seconds by function, in one instance, each called by main.
Profile window(std::initializer_list<std::pair<const char*, int64_t>> functions) {
  Profile profile;
  profile.add_value_type("samples", "count");
  profile.add_value_type("cpu", "nanoseconds");
  const auto labels = profile.label_set({profile.string_label(kServiceName, "shop", profile::LabelScope::Resource),
                                         profile.string_label(kServiceInstance, "7", profile::LabelScope::Resource)});
  for (const auto& [name, seconds] : functions) {
    const std::array frames{profile.named_frame(name), profile.named_frame("main")};
    profile.samples.add(profile.stacks.intern(frames), labels, std::array<int64_t, 2>{1, seconds * 1'000'000'000});
  }
  return profile;
}

std::map<std::string, double> selfs(const Hotspots& hotspots, uint64_t now) {
  std::map<std::string, double> result;
  for (const Hotspots::Row& row : hotspots.rows(now))
    for (const Hotspots::Function& function : row.functions) result[function.name] = function.self;
  return result;
}

}  // namespace

TEST(hotspots, the_costliest_have_counters_and_the_rest_is_one) {
  Hotspots hotspots({.top = 2});
  hotspots.add(window({{"a", 5}, {"b", 3}, {"c", 1}, {"d", 1}}), kMinute);
  hotspots.add(window({{"a", 5}, {"b", 3}, {"c", 1}}), 2 * kMinute);
  const auto seen = selfs(hotspots, 2 * kMinute);
  EXPECT_EQ(seen, (std::map<std::string, double>{{"a", 10}, {"b", 6}, {"other", 3}}));
  const auto rows = hotspots.rows(2 * kMinute);
  EXPECT_EQ(rows[0].key.service, "shop");
  EXPECT_EQ(rows[0].key.instance, "7");
  EXPECT_EQ(rows[0].key.kind, "cpu");
  EXPECT_EQ(rows[0].functions.back().name, "other");
}

TEST(hotspots, functions_without_a_name_have_one_that_lasts) {
  Profile profile = window({});
  const auto labels = profile.label_set({profile.string_label(kServiceName, "shop", profile::LabelScope::Resource),
                                         profile.string_label(kServiceInstance, "7", profile::LabelScope::Resource)});
  for (const int64_t begin : {7, 9}) {
    const profile::Line line{.line = begin + 1,
                             .function = profile.functions.intern({.name = profile.strings.intern("(anonymous)"),
                                                                   .filename = profile.strings.intern("/srv/app.js"),
                                                                   .start_line = begin})};
    const profile::FrameId frame = profile.frames.intern({.lines = profile.lines.intern({&line, 1})});
    profile.samples.add(profile.stacks.intern({&frame, 1}), labels, std::array<int64_t, 2>{1, begin * 1'000'000'000});
  }
  Hotspots hotspots({});
  hotspots.add(profile, kMinute);
  EXPECT_EQ(selfs(hotspots, kMinute),
            (std::map<std::string, double>{{"(anonymous):7 in app.js", 7}, {"(anonymous):9 in app.js", 9}, {"other", 0}}));
}

TEST(hotspots, stay_for_a_while_and_then_go) {
  Hotspots hotspots({.top = 1, .stays_ns = 2 * kMinute});
  hotspots.add(window({{"a", 5}, {"b", 1}}), kMinute);
  hotspots.add(window({{"a", 1}, {"b", 5}}), 2 * kMinute);
  EXPECT_EQ(selfs(hotspots, 2 * kMinute)["a"], 6);
  hotspots.add(window({{"a", 1}, {"b", 5}}), 5 * kMinute);
  const auto seen = selfs(hotspots, 5 * kMinute);
  EXPECT_FALSE(seen.contains("a"));
  // Nothing is lost: what `a` had counts as the rest, and what `b` had before it came in.
  EXPECT_EQ(seen.at("other") + seen.at("b"), 18);
}

TEST(hotspots, tracked_functions_are_always_there) {
  Hotspots hotspots({.top = 1, .track = {"main", "/^zz/"}});
  hotspots.add(window({{"a", 5}, {"zzz", 1}, {"b", 2}}), kMinute);
  const auto rows = hotspots.rows(kMinute);
  double total = 0;
  for (const auto& function : rows[0].functions) total += function.name == "main" ? function.total : 0;
  EXPECT_EQ(total, 8);
  EXPECT_EQ(selfs(hotspots, kMinute)["zzz"], 1);
  EXPECT_EQ(selfs(hotspots, kMinute)["other"], 2);
}

TEST(hotspots, an_instance_never_has_more_than_its_share_of_series) {
  Hotspots hotspots({.top = 10, .most = 12});
  for (int i = 0; i < 20; ++i) {
    const std::string name = "f" + std::to_string(i);
    hotspots.add(window({{name.c_str(), 3}}), kMinute + static_cast<uint64_t>(i));
  }
  EXPECT_LE(selfs(hotspots, kMinute).size(), 13u);
  double sum = 0;
  for (const auto& [name, self] : selfs(hotspots, kMinute)) sum += self;
  EXPECT_EQ(sum, 60);
}

TEST(hotspots, instances_that_are_gone_are_not_shown) {
  Hotspots hotspots({.stays_ns = kMinute});
  hotspots.add(window({{"a", 1}}), kMinute);
  EXPECT_TRUE(hotspots.rows(3 * kMinute).empty());
}

}  // namespace atys::fleet

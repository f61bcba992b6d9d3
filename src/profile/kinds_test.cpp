// SPDX-License-Identifier: Apache-2.0
#include "profile/kinds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace atys::profile {

namespace {

std::vector<std::string_view> said(const KindRow::Names& names) {
  std::vector<std::string_view> found(names.begin(), names.end());
  std::erase(found, std::string_view());
  return found;
}

bool every_kind(const KindRow&) { return true; }

}  // namespace

TEST(kinds, are_found_by_each_of_their_names) {
  for (const KindRow& kind : kinds()) {
    if (kind.is_every_event()) continue;
    EXPECT_EQ(find_kind(kind.name), &kind) << kind.name;
    EXPECT_EQ(find_kind_of_type(kind.name), &kind) << kind.name;
    EXPECT_EQ(find_kind_of_type(kind.columns.weight), &kind) << kind.name;
    EXPECT_EQ(find_kind_of_weight(kind.columns.weight), &kind) << kind.name;
    for (const std::string_view alias : said(kind.aliases)) EXPECT_EQ(find_kind(alias), &kind) << alias;
    for (const std::string_view type : said(kind.types)) EXPECT_EQ(find_kind_of_type(type), &kind) << type;
    if (kind.event.empty()) continue;
    EXPECT_EQ(find_kind(std::string(kEventPrefix).append(kind.event)), &kind) << kind.event;
  }
}

TEST(kinds, share_no_name) {
  std::map<std::string_view, int> rows;
  for (const KindRow& kind : kinds()) {
    std::set<std::string_view> names{kind.name};
    for (const auto& more : {said(kind.aliases), said(kind.types)}) names.insert(more.begin(), more.end());
    for (const std::string_view name : names) EXPECT_EQ(++rows[name], 1) << name;
  }
}

// As they are compared.
TEST(kinds, have_names_that_are_plain) {
  for (const KindRow& kind : kinds()) {
    EXPECT_EQ(plain_kind_name(kind.name), kind.name);
    for (const auto& names : {said(kind.aliases), said(kind.types)})
      for (const std::string_view name : names) EXPECT_EQ(plain_kind_name(name), name);
  }
}

TEST(kinds, share_no_column_of_weights) {
  std::set<std::string_view> weights;
  for (const KindRow& kind : kinds()) EXPECT_TRUE(weights.insert(kind.columns.weight).second) << kind.name;
}

TEST(kinds, are_read_as_people_write_them) {
  EXPECT_EQ(find_kind("Off_CPU"), &waiting_kind());
  EXPECT_EQ(find_kind("off cpu"), &waiting_kind());
  EXPECT_EQ(find_kind("onCPU"), &default_kind());
  for (const char* text : {"", "event", "event:", "Event:", "heap"}) EXPECT_EQ(find_kind(text), nullptr) << text;
  EXPECT_EQ(find_kind("mutex"), nullptr) << "what other tools call a type is no word for people";
  EXPECT_TRUE(find_kind("event:sched:sched_switch")->is_every_event());
}

TEST(kinds, are_told_by_types_of_other_tools) {
  EXPECT_EQ(find_kind_of_type("alloc_objects")->name, "alloc");
  EXPECT_EQ(find_kind_of_type("contentions")->name, "lock");
  // These are of several.
  for (const char* type : {"", "samples", "waits", "wakeup", "cache-misses", "event:cache-misses"})
    EXPECT_EQ(find_kind_of_type(type), nullptr) << type;
}

TEST(kinds, of_which_each_is_listed_for_people) {
  const std::string all = listed_kinds(every_kind);
  EXPECT_TRUE(all.starts_with("cpu, off-cpu, wall, ")) << all;
  EXPECT_TRUE(all.ends_with(", event:NAME")) << all;
  EXPECT_EQ(listed_kinds([](const KindRow& kind) { return kind.waits; }, " and "), "off-cpu and wall");
  EXPECT_EQ(listed_kinds([](const KindRow& kind) { return kind.is_cpu_time(); }, " and "), "cpu");
  EXPECT_EQ(listed_kinds([](const KindRow&) { return false; }), "");
}

// What those who ask take for granted.
TEST(kinds, are_whole) {
  EXPECT_TRUE(default_kind().is_cpu_time());
  EXPECT_TRUE(waiting_kind().is_waiting());
  EXPECT_TRUE(kinds().back().is_every_event());
  for (const KindRow& kind : kinds()) {
    const bool is_sampled = kind.recorded_by == KindRow::RecordedBy::Sampler;
    EXPECT_EQ(is_sampled, kind.computes || kind.waits) << kind.name;
    EXPECT_EQ(kind.recorded_by == KindRow::RecordedBy::Event, kind.is_every_event() || !kind.event.empty()) << kind.name;
    EXPECT_EQ(is_sampled, kind.period == 0) << kind.name << ": a rate says what lies between samples that a clock takes";
    EXPECT_EQ(kind.columns.weight.empty(), kind.is_every_event()) << kind.name;
    EXPECT_TRUE(!kind.has_rate || is_sampled) << kind.name;
    for (const std::string_view text :
         {kind.columns.count, kind.columns.unit, kind.metric.name, kind.metric.help, kind.help})
      EXPECT_FALSE(text.empty()) << kind.name;
  }
}

// A family that is not shared has no label that would tell kinds apart.
TEST(kinds, share_only_families_of_metrics_that_are_said_to_be_shared) {
  std::map<std::string_view, std::vector<const KindRow*>> families;
  for (const KindRow& kind : kinds()) families[kind.metric.name].push_back(&kind);
  for (const auto& [name, rows] : families)
    for (const KindRow* kind : rows) EXPECT_EQ(kind->metric.is_shared, rows.size() > 1) << name;
}

}  // namespace atys::profile

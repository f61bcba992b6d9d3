// SPDX-License-Identifier: Apache-2.0
#include "capture/recording_plan.h"

#include <gtest/gtest.h>

namespace atys::capture {
namespace {

TEST(kind, is_read_as_people_write_it) {
  for (const char* text : {"off-cpu", "off_cpu", "offcpu", "OFF-CPU", "Off_Cpu", "OffCPU"}) {
    const auto kind = Kind::parse(text);
    ASSERT_TRUE(kind.ok()) << text;
    EXPECT_EQ(kind->text(), "off-cpu");
  }
  EXPECT_EQ(Kind::parse("CPU")->text(), "cpu");
  EXPECT_EQ(Kind::parse("on-cpu")->text(), "cpu");
  EXPECT_EQ(Kind::parse("event:Page")->text(), "event:Page") << "names of events stay as they are";
  for (const std::string& name : kind_names()) EXPECT_TRUE(name == "event:" || Kind::parse(name)->text() == name);
}

TEST(kind, that_there_is_not_is_answered_with_what_there_is) {
  EXPECT_EQ(Kind::parse("wal").error().hint, "did you mean wall?");
  EXPECT_EQ(Kind::parse("allocs").error().hint, "did you mean alloc?");
  EXPECT_EQ(Kind::parse("cache-misses").error().hint, "did you mean event:cache-misses?");
  EXPECT_EQ(Kind::parse("heap").error().hint,
            "there are " + profile::listed_kinds([](const profile::KindRow&) { return true; }));
  EXPECT_NE(Kind::parse("cpu,off-cpu").error().hint.find("wall is both"), std::string::npos);
  EXPECT_FALSE(Kind::parse("").ok());
  EXPECT_FALSE(Kind::parse("event:").ok());
}

TEST(tier, is_read_as_people_write_it) {
  EXPECT_EQ(*parse_tier("eBPF"), Tier::Ebpf);
  EXPECT_EQ(parse_tier("bpf").error().hint, "did you mean ebpf?");
  EXPECT_EQ(parse_tier("magic").error().hint, "there are auto, ebpf, perf, signal, stop, memory");
  for (const std::string& name : tier_names()) EXPECT_TRUE(parse_tier(name).ok());
}

}  // namespace
}  // namespace atys::capture

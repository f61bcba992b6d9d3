// SPDX-License-Identifier: Apache-2.0
#include "capture/node/cpu_profile.h"

#include <gtest/gtest.h>

#include <set>

#include "support/profile_text.h"

namespace atys::capture::node {
namespace {

const V8Thread kThread{.pid = 12, .tid = 12, .name = "node"};

// (root) ── main ─┬─ work (4 samples) ── now, a builtin (1)
//                 └─ (idle) … below the root, as V8 has it
const char* const kExample = R"json({
  "nodes": [
    {"id": 1, "callFrame": {"functionName": "(root)", "scriptId": "0", "url": "", "lineNumber": -1, "columnNumber": -1},
     "hitCount": 0, "children": [2, 4, 5]},
    {"id": 2, "callFrame": {"functionName": "", "scriptId": "7", "url": "file:///srv/a%20b.js", "lineNumber": 0},
     "hitCount": 0, "children": [3]},
    {"id": 3, "callFrame": {"functionName": "work", "scriptId": "7", "url": "file:///srv/a%20b.js", "lineNumber": 9},
     "hitCount": 4, "children": [6], "positionTicks": [{"line": 11, "ticks": 3}, {"line": 12, "ticks": 1}]},
    {"id": 4, "callFrame": {"functionName": "(idle)", "scriptId": "0", "url": "", "lineNumber": -1}, "hitCount": 2},
    {"id": 5, "callFrame": {"functionName": "(garbage collector)", "url": "", "lineNumber": -1}, "hitCount": 1},
    {"id": 6, "callFrame": {"functionName": "now", "scriptId": "0", "url": "", "lineNumber": -1}, "hitCount": 1}],
  "startTime": 1000, "endTime": 9000,
  "samples": [3, 3, 4, 5, 3, 3, 4, 6],
  "timeDeltas": [1000, 1000, 1000, 500, 1000, 1000, 2000, 500]})json";

Result<Profile> read(const std::string& text, const profile::KindRow& kind = profile::default_kind()) {
  Profile profile = new_profile(kind);
  TRY(add_cpu_profile(TRY(parse_json(text)), kind, kThread, profile));
  return profile;
}

TEST(cpu_profile, makes_stacks_with_kinds_and_true_weights) {
  const auto profile = read(kExample);
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  EXPECT_EQ(test::to_text(*profile),
            "(anonymous)[v8js];work[v8js] {process.pid=12,thread.id=12,thread.name=node} 4 4000000\n"
            "(anonymous)[v8js];work[v8js];now[native] {process.pid=12,thread.id=12,thread.name=node} 1 500000\n"
            "(garbage collector)[native] {process.pid=12,thread.id=12,thread.name=node} 1 500000\n");
}

TEST(cpu_profile, knows_files_first_lines_and_lines_of_samples) {
  const auto profile = read(kExample);
  ASSERT_TRUE(profile.ok());
  std::set<std::string> places;
  for (size_t row = 0; row < profile->samples.size(); ++row)
    for (const profile::FrameId frame : profile->stacks[profile->samples.stack(row)]) {
      const profile::Line line = profile->lines[profile->frames[frame].lines].front();
      const profile::Function function = profile->functions[line.function];
      places.insert(std::string(profile->text(function.name)) + " " + std::string(profile->text(function.filename)) + " " +
                    std::to_string(function.start_line) + " " + std::to_string(line.line));
    }
  EXPECT_EQ(places, (std::set<std::string>{"(anonymous) /srv/a b.js 1 0", "work /srv/a b.js 10 11", "work /srv/a b.js 10 12",
                                           "work /srv/a b.js 10 0", "(garbage collector)  0 0", "now  0 0"}));
}

TEST(cpu_profile, keeps_idle_time_by_the_clock_on_the_wall) {
  const auto profile = read(kExample, *profile::find_kind("wall"));
  ASSERT_TRUE(profile.ok());
  EXPECT_NE(
      test::to_text(*profile).find("(idle)[native] {process.pid=12,state=idle,thread.id=12,thread.name=node} 2 3000000"),
      std::string::npos)
      << test::to_text(*profile);
  int64_t all = 0;
  for (const int64_t value : profile->samples.values(1)) all += value;
  EXPECT_EQ(all, 8'000'000);
}

TEST(cpu_profile, gives_no_more_time_than_passed) {
  const auto profile = read(R"({"nodes": [{"id": 1, "callFrame": {"functionName": "f"}}], "startTime": 0, "endTime": 100,
                                "samples": [1, 1, 1], "timeDeltas": [-50, 9000000000000000000, 70]})");
  ASSERT_TRUE(profile.ok());
  EXPECT_EQ(test::to_text(*profile), "f[native] {process.pid=12,thread.id=12,thread.name=node} 3 100000\n");
}

TEST(cpu_profile, refuses_what_is_no_profile) {
  for (const char* text : {
           "null",
           "7",
           "{}",
           R"({"nodes": []})",
           R"({"nodes": {}, "samples": [], "timeDeltas": []})",
           R"({"nodes": [{"id": 1}, {"id": 1}], "samples": [], "timeDeltas": []})",
           R"({"nodes": [{"id": 1, "children": [2]}], "samples": [], "timeDeltas": []})",
           R"({"nodes": [{"id": 1, "children": [1]}], "samples": [1], "timeDeltas": [1]})",
           R"({"nodes": [{"id": 1, "children": [2]}, {"id": 2, "children": [1]}], "samples": [1], "timeDeltas": [1]})",
           R"({"nodes": [{"id": 1, "children": ["x"]}], "samples": [1], "timeDeltas": [1]})",
           R"({"nodes": [{"id": 1}], "samples": [2], "timeDeltas": [1]})",
           R"({"nodes": [{"id": 1}], "samples": [1, 1], "timeDeltas": [1]})",
           R"({"nodes": [{"id": 1}], "samples": [1]})",
       })
    EXPECT_FALSE(read(text).ok()) << text;
}

}  // namespace
}  // namespace atys::capture::node

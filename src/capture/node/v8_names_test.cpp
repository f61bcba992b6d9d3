// SPDX-License-Identifier: Apache-2.0
#include "capture/node/v8_names.h"

#include <gtest/gtest.h>

#include "capture/profiling_kernel.h"

namespace atys::capture::node {
namespace {

TEST(v8_names, tells_function_file_line_and_tier) {
  struct Case {
    const char* name;
    const char* function;
    const char* file;
    int64_t line;
    V8Tier tier;
  };
  // As Node.js 12, 18, 20 and 24 write them.
  const Case cases[] = {
      {"LazyCompile:~hot /srv/app.js:1", "hot", "/srv/app.js", 1, V8Tier::Interpreted},
      {"LazyCompile:*hot /srv/app.js:7", "hot", "/srv/app.js", 7, V8Tier::Optimised},
      {"Eval:~ /srv/app.js:1", "(anonymous)", "/srv/app.js", 1, V8Tier::Interpreted},
      {"Function:~ /srv/app.js:1", "(anonymous)", "/srv/app.js", 1, V8Tier::Interpreted},
      {"JS:~isBuildingSnapshot node:internal/v8/startup_snapshot:19:28", "isBuildingSnapshot",
       "node:internal/v8/startup_snapshot", 19, V8Tier::Interpreted},
      {"JS:^hot file:///srv/a%20b.mjs:3:13", "hot", "/srv/a b.mjs", 3, V8Tier::Baseline},
      {"JS:+hot /srv/app.js:1:13", "hot", "/srv/app.js", 1, V8Tier::Maglev},
      {"JS:*get size /srv/my folder/app.js:12:5", "get size", "/srv/my folder/app.js", 12, V8Tier::Optimised},
      {"JS:~Module._compile node:internal/modules/cjs/loader:1310:37", "Module._compile", "node:internal/modules/cjs/loader",
       1310, V8Tier::Interpreted},
      {"JS:*f", "f", "", 0, V8Tier::Optimised},
      {"JS:", "(anonymous)", "", 0, V8Tier::None},
      {"Builtin:RecordWriteSaveFP", "RecordWriteSaveFP", "", 0, V8Tier::None},
      {"BytecodeHandler:LdaZero", "LdaZero", "", 0, V8Tier::None},
  };
  for (const Case& one : cases) {
    const auto split = split_v8_name(one.name);
    ASSERT_TRUE(split) << one.name;
    EXPECT_EQ(split->function, one.function) << one.name;
    EXPECT_EQ(split->file, one.file) << one.name;
    EXPECT_EQ(split->line, one.line) << one.name;
    EXPECT_EQ(split->tier, one.tier) << one.name;
  }
}

TEST(v8_names, leaves_names_of_others_alone) {
  for (const char* name : {"", "java.lang.String::hashCode", "void [System] Program::Main()", "hot", "Builtin:", ":1:2"})
    EXPECT_FALSE(split_v8_name(name)) << name;
}

TEST(v8_names, survives_numbers_that_are_none) {
  EXPECT_EQ(split_v8_name("JS:~f /a.js:99999999999999999999:1")->line, 1);
  EXPECT_EQ(split_v8_name("JS:~f /a.js:-1")->line, 0);
  EXPECT_EQ(split_v8_name("JS:~f ::")->line, 0);
}

TEST(v8_names, makes_paths_of_file_urls) {
  EXPECT_EQ(path_of_url("file:///srv/%C3%A4%20b.js"), "/srv/ä b.js");
  EXPECT_EQ(path_of_url("file:///a%00b%zz%4"), "/a%00b%zz%4");
  EXPECT_EQ(path_of_url("file://host/x"), "file://host/x");
  EXPECT_EQ(path_of_url("node:fs"), "node:fs");
  EXPECT_EQ(path_of_url(""), "");
}

TEST(v8_names, names_frames_of_perf_maps_for_the_native_kernel) {
  const auto name = split_jit_name("JS:*hot file:///srv/app.js:4:13");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->function, "hot");
  EXPECT_EQ(name->file, "/srv/app.js");
  EXPECT_EQ(name->start_line, 4);
  EXPECT_EQ(name->frame_kind, "v8js");
  EXPECT_FALSE(split_jit_name("some_function_of_a_jit"));
}

}  // namespace
}  // namespace atys::capture::node

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/java/perf_map.h"
#include "capture/java/version.h"
#include "capture/profiling_kernel.h"
#include "support/live_java.h"
#include "symbolize/jit_map.h"

namespace atys::capture::java {
namespace {

using test::JavaProgram;

TEST(java_kernel, reads_versions_of_all_releases) {
  EXPECT_EQ(version_in("OpenJDK 64-Bit Server VM (25.181-b13) for linux-amd64 JRE (1.8.0_181-b13), built on Jul"),
            "1.8.0_181-b13");
  EXPECT_EQ(version_in("VM (25.0.3+9-LTS) for linux-amd64 JRE (25.0.3+9-LTS), built on"), "25.0.3+9-LTS");
  EXPECT_EQ(version_in(" JRE (%s), JRE (17.0.1+2), "), "17.0.1+2");
  EXPECT_EQ(version_in(" JRE (17.0.1"), "");
  EXPECT_EQ(version_in(""), "");
}

// Without async-profiler, whatever this computer has.
class NamedJava : public test::LiveJava {
 protected:
  void SetUp() override {
    LiveJava::SetUp();
    ::setenv("ATYS_ASYNC_PROFILER", folder_.file("nowhere").c_str(), 1);
  }
  void TearDown() override { ::unsetenv("ATYS_ASYNC_PROFILER"); }
  static Result<Attachment> attach(pid_t pid, std::string_view kind = "cpu") {
    RecordingPlan plan;
    plan.kind = Kind::parse(kind).take();
    const DetectedRuntime found = TRY(runtime(pid));
    return find_kernel("java")->attach({.pid = pid, .runtime = &found, .plan = &plan});
  }
  static std::string map_of(const JavaProgram& program) {
    return program.temp() + "/perf-" + std::to_string(program.own_pid()) + ".map";
  }
  static bool can_list(pid_t pid) { return look(pid)->release() >= kFirstWithPerfMap; }
};

TEST_P(NamedJava, writes_a_list_of_its_methods_that_is_gone_afterwards) {
  JavaProgram program(folder_, options({"-XX:+PreserveFramePointer"}));
  if (!can_list(program.pid())) GTEST_SKIP() << "this release has no list";
  {
    auto attachment = attach(program.pid());
    ASSERT_TRUE(attachment.ok()) << attachment.error().message;
    ASSERT_NE(attachment->companion, nullptr);
    EXPECT_EQ(attachment->recorder, nullptr);
    const auto done = attachment->companion->before_naming();
    ASSERT_TRUE(done.ok()) << done.error().message;
    std::ifstream file(map_of(program));
    const std::string text(std::istreambuf_iterator<char>(file), {});
    EXPECT_NE(text.find("Split.sixty("), std::string::npos);
    EXPECT_TRUE(symbolize::open_jit_map(program.pid()).ok());
  }
  EXPECT_FALSE(std::filesystem::exists(map_of(program)));
  EXPECT_EQ(program.output(), "");
}

TEST_P(NamedJava, keeps_a_list_that_was_there_and_leaves_planted_links_alone) {
  JavaProgram program(folder_, options());
  if (!can_list(program.pid())) GTEST_SKIP() << "this release has no list";
  auto attachment = attach(program.pid());
  ASSERT_TRUE(attachment.ok()) << attachment.error().message;
  const std::string victim = folder_.write("victim", "precious");  // outside of a container: the link alone is refused
  ASSERT_EQ(::symlink(victim.c_str(), map_of(program).c_str()), 0);
  EXPECT_FALSE(attachment->companion->before_naming().ok());
  EXPECT_EQ(std::filesystem::file_size(victim), 8u);
  ::unlink(map_of(program).c_str());
  std::ofstream(map_of(program)) << "1000 10 old\n";
  EXPECT_TRUE(attachment->companion->before_naming().ok());
  attachment->companion.reset();
  EXPECT_TRUE(std::filesystem::exists(map_of(program)));
  ::unlink(map_of(program).c_str());
}

TEST_P(NamedJava, says_what_is_missing_and_how_to_get_it) {
  JavaProgram program(folder_, options());
  const auto found = runtime(program.pid());
  ASSERT_TRUE(found.ok());
  const Outlook outlook = find_kernel("java")->outlook(program.pid(), *found);
  EXPECT_NE(outlook.limits.find("atys doctor java"), std::string::npos) << outlook.limits;
  if (can_list(program.pid())) {
    EXPECT_NE(outlook.limits.find("-XX:+PreserveFramePointer"), std::string::npos) << outlook.limits;
    EXPECT_FALSE(outlook.is_native_only);
  } else {
    EXPECT_NE(outlook.limits.find("JDK 17"), std::string::npos) << outlook.limits;
  }
  const auto alloc = attach(program.pid(), "alloc");
  ASSERT_FALSE(alloc.ok());
  EXPECT_NE(alloc.error().hint.find("tools.profiler:async-profiler"), std::string::npos) << alloc.error().hint;
  const auto needs = find_kernel("java")->needs();
  ASSERT_EQ(needs.size(), 1u);
  EXPECT_FALSE(needs[0].works);
  EXPECT_NE(needs[0].fix.find("mvn dependency:get"), std::string::npos);
}

TEST_P(NamedJava, that_takes_no_orders_is_native) {
  JavaProgram program(folder_, options({"-XX:+DisableAttachMechanism"}));
  const auto found = runtime(program.pid());
  ASSERT_TRUE(found.ok());
  const Outlook outlook = find_kernel("java")->outlook(program.pid(), *found);
  EXPECT_TRUE(outlook.is_native_only);
  EXPECT_NE(outlook.limits.find("DisableAttachMechanism"), std::string::npos);
  EXPECT_FALSE(attach(program.pid()).ok());
}

INSTANTIATE_TEST_SUITE_P(each, NamedJava, testing::ValuesIn(test::java_homes()), test::home_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(NamedJava);

}  // namespace
}  // namespace atys::capture::java

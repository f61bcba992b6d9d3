// SPDX-License-Identifier: Apache-2.0
#include "capture/java/agent_library.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/byte_source.h"
#include "support/compiled_program.h"
#include "symbolize/elf_file.h"

namespace atys::capture::java {
namespace {

uint16_t our_machine() { return symbolize::ElfFile::open("/proc/self/exe")->machine(); }

// A library in name only, but of this machine.
class FakeAgent : public testing::Test {
 protected:
  void SetUp() override {
    if (!folder_.run("echo 'int x;' | cc -shared -fPIC -xc - -o libasyncProfiler.so")) GTEST_SKIP() << "no C compiler";
  }
  std::string made_folder(const std::string& name, const std::string& file = "libasyncProfiler.so") {
    EXPECT_TRUE(folder_.run("mkdir -p " + name + " && cp libasyncProfiler.so " + name + "/" + file));
    return folder_.file(name);
  }
  std::string jar(const std::string& path) {
    EXPECT_TRUE(folder_.run("mkdir -p linux-x64 linux-arm64 $(dirname " + path +
                            ") && cp libasyncProfiler.so linux-x64/ && cp libasyncProfiler.so linux-arm64/ && python3 -m "
                            "zipfile -c " +
                            path + " linux-x64 linux-arm64"));
    return folder_.file(path);
  }
  test::BuildFolder folder_;
};

TEST(agent_library, knows_newer_versions) {
  EXPECT_TRUE(is_newer("4.10", "4.9"));
  EXPECT_TRUE(is_newer("4.5", "3.0"));
  EXPECT_TRUE(is_newer("4.5.1", "4.5"));
  EXPECT_FALSE(is_newer("4.5", "4.5"));
  EXPECT_FALSE(is_newer("", "1"));
}

TEST_F(FakeAgent, is_found_in_the_order_of_places) {
  const std::string installed = made_folder("opt", "x") + "/..";
  jar("m2/tools/profiler/async-profiler/4.9/async-profiler-4.9.jar");
  const std::string newest = jar("m2/tools/profiler/async-profiler/4.10/async-profiler-4.10.jar");
  AgentPlaces places{.chosen = "", .folders = {}, .maven = folder_.file("m2")};
  auto found = find_agent_library(our_machine(), places);
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found->path, newest);
  EXPECT_TRUE(found->is_in_jar);
  EXPECT_TRUE(as_text(found->content)
                  .starts_with("\x7f"
                               "ELF"));
  places.folders = {folder_.file("nowhere"), installed};
  found = find_agent_library(our_machine(), places);
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found->path, installed + "/libasyncProfiler.so");
  places.chosen = made_folder("mine/lib") + "/..";
  found = find_agent_library(our_machine(), places);
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found->path, places.chosen + "/lib/libasyncProfiler.so");
}

TEST_F(FakeAgent, that_is_named_but_missing_is_not_replaced_by_another) {
  const AgentPlaces places{.chosen = folder_.file("nowhere"), .folders = {folder_.file("")}, .maven = ""};
  const auto found = find_agent_library(our_machine(), places);
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().code, ErrorCode::NotFound);
  EXPECT_NE(found.error().hint.find(kMavenCoordinates), std::string::npos);
}

TEST_F(FakeAgent, of_another_machine_or_that_others_could_have_written_is_refused) {
  AgentPlaces places{.chosen = folder_.file("libasyncProfiler.so"), .folders = {}, .maven = ""};
  EXPECT_EQ(find_agent_library(0, places).error().code, ErrorCode::Unsupported);
  ASSERT_EQ(::chmod(places.chosen.c_str(), 0777), 0);
  EXPECT_EQ(find_agent_library(our_machine(), places).error().code, ErrorCode::PermissionDenied);
  places.chosen = folder_.write("text.so", "no library");
  EXPECT_FALSE(find_agent_library(our_machine(), places).ok());
}

}  // namespace
}  // namespace atys::capture::java

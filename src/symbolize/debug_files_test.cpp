// SPDX-License-Identifier: Apache-2.0
#include "symbolize/debug_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>

#include "support/compiled_program.h"
#include "symbolize/debuginfod.h"
#include "symbolize/module.h"
#include "symbolize/module_resources.h"

namespace atys::symbolize {
namespace {

class DebugFilesTest : public testing::Test {
 protected:
  // Leaves a stripped "program" and its "program.debug".
  void SetUp() override { build("-Wl,--build-id"); }
  void build(const std::string& options) {
    folder_.write("program.cpp", test::kSampleProgram);
    ASSERT_TRUE(folder_.run("g++ -O2 -g " + options +
                            " -o program program.cpp && objcopy --only-keep-debug program program.debug && nm program | "
                            "grep Counter3add > add.txt && strip program"));
  }
  ElfFile program() {
    auto file = ElfFile::open(folder_.file("program"));
    EXPECT_TRUE(file.ok());
    return file.take();
  }
  DebugFileSearch search() { return {.path = folder_.file("program"), .debug_folder = folder_.file("debug")}; }
  // Puts the debug file where the build id says, below `root`.
  void install(const std::string& root) {
    const std::string id = program().build_id();
    const std::string folder = root + folder_.file("debug/.build-id/" + id.substr(0, 2));
    ASSERT_TRUE(folder_.run("mkdir -p " + folder + " && cp program.debug " + folder + "/" + id.substr(2) + ".debug"));
  }
  bool is_found() { return find_debug_file(program(), search()).ok(); }
  void expect_lines(ModuleStoreOptions options) {
    const uint64_t address = std::strtoull(folder_.output("cat add.txt").c_str(), nullptr, 16);
    options.debug_folder = folder_.file("debug");
    const auto module =
        std::make_shared<Module>(Module::Origin{.path = folder_.file("program")}, std::make_shared<const ElfFile>(program()),
                                 std::make_shared<ModuleResources>(options));
    const auto frames = module->resolve(address);
    ASSERT_FALSE(frames.empty());
    EXPECT_EQ(frames.back().function, "shop::Counter::add(int)");
    EXPECT_EQ(frames.back().file, folder_.file("program.cpp"));
  }
  test::BuildFolder folder_;
};

TEST_F(DebugFilesTest, finds_by_build_id) {
  EXPECT_FALSE(is_found());
  install("");
  EXPECT_TRUE(is_found());
  expect_lines({});
}

TEST_F(DebugFilesTest, looks_below_the_root_of_the_process_first) {
  install(folder_.file("root"));
  EXPECT_FALSE(is_found());
  auto in_root = search();
  in_root.root = folder_.file("root");
  EXPECT_TRUE(find_debug_file(program(), in_root).ok());
}

TEST_F(DebugFilesTest, does_not_leave_the_root_of_the_process_by_a_link) {
  install("");
  ASSERT_TRUE(folder_.run("mkdir -p root$PWD && mv debug real && ln -s $PWD/real root$PWD/debug"));
  auto in_root = search();
  in_root.root = folder_.file("root");
  EXPECT_FALSE(find_debug_file(program(), in_root).ok());
}

TEST_F(DebugFilesTest, refuses_another_build) {
  install("");
  build("-Wl,--build-id=0x1234567890abcdef");
  EXPECT_FALSE(is_found());
  const std::string folder = folder_.file("debug/.build-id/12");
  ASSERT_TRUE(
      folder_.run("mkdir -p " + folder + " && cp $(find debug -name '*.debug') " + folder + "/34567890abcdef.debug"));
  EXPECT_FALSE(is_found());
}

// Whoever forges a build id gets no names of the file that has it by right.
TEST_F(DebugFilesTest, refuses_a_file_of_the_same_build_id_whose_code_lies_elsewhere) {
  build("-Wl,--build-id=0x1234567890abcdef");
  install("");
  EXPECT_TRUE(is_found());
  folder_.write("other.cpp", "int main(int count, char**) { return count * 3; }");
  ASSERT_TRUE(folder_.run("g++ -g -Wl,--build-id=0x1234567890abcdef -o program other.cpp && strip program"));
  EXPECT_FALSE(is_found());
}

TEST_F(DebugFilesTest, finds_by_debuglink_in_each_of_its_places) {
  ASSERT_TRUE(folder_.run("objcopy --add-gnu-debuglink=program.debug program"));
  expect_lines({});
  ASSERT_TRUE(folder_.run("mkdir .debug && mv program.debug .debug/"));
  EXPECT_TRUE(is_found());
  ASSERT_TRUE(folder_.run("mkdir -p debug$PWD && mv .debug/program.debug debug$PWD/"));
  EXPECT_TRUE(is_found());
  ASSERT_TRUE(folder_.run("rm debug$PWD/program.debug && mkfifo program.debug"));
  EXPECT_FALSE(is_found());
}

TEST_F(DebugFilesTest, checks_the_sum_of_a_linked_file_without_build_id) {
  build("-Wl,--build-id=none");
  ASSERT_TRUE(folder_.run("objcopy --add-gnu-debuglink=program.debug program"));
  EXPECT_TRUE(is_found());
  ASSERT_TRUE(folder_.run("printf x >> program.debug"));
  EXPECT_FALSE(is_found());
}

TEST_F(DebugFilesTest, reads_compressed_debug_files) {
  install("");
  const std::string id = program().build_id();
  const std::string path = folder_.file("debug/.build-id/" + id.substr(0, 2) + "/" + id.substr(2) + ".debug");
  ASSERT_TRUE(folder_.run("objcopy --compress-debug-sections=zlib " + path));
  expect_lines({});
}

TEST_F(DebugFilesTest, asks_debuginfod_only_when_it_may) {
  const std::string id = program().build_id();
  ASSERT_TRUE(folder_.run("mkdir -p server/buildid/" + id + " && cp program.debug server/buildid/" + id + "/debuginfo"));
  ::setenv("DEBUGINFOD_URLS", ("file://" + folder_.file("server")).c_str(), 1);
  ::setenv("DEBUGINFOD_CACHE_PATH", folder_.file("client").c_str(), 1);
  EXPECT_FALSE(is_found());
  auto asking = search();
  asking.may_ask_debuginfod = true;
  const auto found = find_debug_file(program(), asking);
  ::unsetenv("DEBUGINFOD_URLS");
  const auto unnamed = find_debug_file(program(), asking);
  ASSERT_FALSE(unnamed.ok());
  EXPECT_NE(unnamed.error().hint.find("DEBUGINFOD_URLS"), std::string::npos);
  if (!found.ok() && found.error().code == ErrorCode::Unavailable) GTEST_SKIP() << found.error().message;
  EXPECT_TRUE(found.ok()) << found.error().message;
}

}  // namespace
}  // namespace atys::symbolize

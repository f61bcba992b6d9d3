// SPDX-License-Identifier: Apache-2.0
#include "symbolize/module.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "support/compiled_program.h"
#include "symbolize/module_resources.h"

namespace atys::symbolize {
namespace {

class ModuleTest : public testing::Test {
 protected:
  std::shared_ptr<Module> open(const std::string& name, ModuleStoreOptions options = {}) {
    auto file = ElfFile::open(folder_.file(name));
    EXPECT_TRUE(file.ok());
    const FileState state = state_of(file->fd(), {});
    return std::make_shared<Module>(Module::Origin{.path = folder_.file(name), .state = state, .can_be_found_again = true},
                                    std::make_shared<const ElfFile>(file.take()),
                                    std::make_shared<ModuleResources>(options));
  }
  // Addresses of a function, by nm.
  uint64_t address_of(const std::string& program, const std::string& symbol) {
    const std::string text = folder_.output("nm " + program + " | grep ' " + symbol + "$'");
    return std::strtoull(text.c_str(), nullptr, 16);
  }
  void compile(const std::string& options, const std::string& output = "program") {
    folder_.write("program.cpp", test::kSampleProgram);
    ASSERT_TRUE(folder_.run("g++ " + options + " -o " + output + " program.cpp"));
  }
  test::BuildFolder folder_;
};

TEST_F(ModuleTest, names_the_function_its_file_and_its_line) {
  compile("-O1 -g");
  const auto module = open("program");
  const auto frames = module->resolve(address_of("program", "plain_c"));
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].function, "plain_c");
  EXPECT_EQ(frames[0].system_name, "plain_c");
  EXPECT_EQ(frames[0].file, folder_.file("program.cpp"));
  EXPECT_EQ(frames[0].line, 25);
  EXPECT_EQ(frames[0].start_line, 25);
}

TEST_F(ModuleTest, knows_whole_paths_where_the_compiler_was_given_others) {
  ASSERT_TRUE(folder_.run("mkdir inner"));
  folder_.write("inner/program.cpp", test::kSampleProgram);
  for (const char* version : {"-gdwarf-4", "-gdwarf-5"}) {
    ASSERT_TRUE(folder_.run(std::string("g++ -O1 -o program inner/program.cpp ") + version));
    const auto frames = open("program")->resolve(address_of("program", "plain_c"));
    ASSERT_EQ(frames.size(), 1u);
    EXPECT_EQ(frames[0].file, folder_.file("inner/program.cpp")) << version;
  }
}

bool same(const std::vector<SourceFrame>& a, const std::vector<SourceFrame>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const SourceFrame& x, const SourceFrame& y) {
    return x.function == y.function && x.system_name == y.system_name && x.file == y.file && x.line == y.line &&
           x.start_line == y.start_line;
  });
}

TEST_F(ModuleTest, what_it_says_of_a_function_holds_for_each_of_its_addresses) {
  for (const char* options : {"-O0 -gdwarf-5", "-O2 -gdwarf-4", "-O2 -g -gsplit-dwarf", "-O2 -g -gz=zlib"}) {
    compile(options);
    ASSERT_TRUE(
        folder_.run("objcopy --only-keep-debug program program.debug && strip --strip-debug program && "
                    "objcopy --add-gnu-debuglink=program.debug program"));
    for (const char* symbol : {"plain_c", "_ZN4shop7Counter3addEi", "main"}) {
      const auto module = open("program");
      const uint64_t address = address_of("program", symbol) + 1;
      EXPECT_TRUE(module->ranges_around(address, {}).empty()) << "no debug information is open";
      const auto frames = module->resolve(address);
      const auto ranges = module->ranges_around(address, frames);
      ASSERT_GT(ranges.size(), 1u) << options << " " << symbol;
      EXPECT_EQ(ranges[0].start, address);
      EXPECT_EQ(ranges[1].start, address - 1);
      for (const ResolvedRange& range : ranges)
        for (uint64_t at = range.start; at < range.end; ++at)
          EXPECT_TRUE(same(range.frames, module->resolve(at))) << options << " " << symbol << " at " << std::hex << at;
    }
  }
}

TEST_F(ModuleTest, looks_no_further_ahead_than_opening_was_worth) {
  compile("-O2 -g");
  const auto whole = open("program");
  const uint64_t address = address_of("program", "plain_c");
  EXPECT_EQ(whole->ranges_around(address, whole->resolve(address)).size(), 1u) << "it needs no other file";
  ASSERT_TRUE(
      folder_.run("objcopy --only-keep-debug program program.debug && strip --strip-debug program && "
                  "objcopy --add-gnu-debuglink=program.debug program"));
  const auto module = open("program");
  const auto frames = module->resolve(address);
  for (int i = 0; i < 20000 && module->ranges_around(address, frames).size() > 1; ++i) continue;
  const auto ranges = module->ranges_around(address, frames);
  ASSERT_EQ(ranges.size(), 1u);
  EXPECT_EQ(ranges[0].frames.front().function, "plain_c");
}

TEST_F(ModuleTest, shows_inlined_functions_innermost_first) {
  for (const char* options : {"-O2 -gdwarf-4", "-O2 -gdwarf-5", "-O2 -g -gsplit-dwarf", "-O2 -g -gz=zlib"}) {
    compile(options);
    const auto module = open("program");
    const uint64_t start = address_of("program", "_ZN4shop7Counter3addEi");
    ASSERT_NE(start, 0u) << options;
    bool is_seen = false;
    for (uint64_t address = start; address < start + 64; ++address) {
      const auto frames = module->resolve(address);
      if (frames.size() < 3) continue;
      is_seen = true;
      EXPECT_EQ(frames[0].function, "shop::innermost(int)");
      EXPECT_EQ(frames[1].function, "shop::middle(int)");
      EXPECT_EQ(frames[1].line, 11);
      EXPECT_EQ(frames[2].function, "shop::Counter::add(int)");
      EXPECT_EQ(frames[2].line, 17);
      EXPECT_EQ(frames[2].file, folder_.file("program.cpp"));
    }
    EXPECT_TRUE(is_seen) << options;
  }
}

TEST_F(ModuleTest, has_names_without_debug_information) {
  compile("-O2");
  const auto frames = open("program")->resolve(address_of("program", "_ZN4shop7Counter3addEi") + 4);
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].function, "shop::Counter::add(int)");
  EXPECT_EQ(frames[0].system_name, "_ZN4shop7Counter3addEi");
  EXPECT_EQ(frames[0].line, 0);
}

TEST_F(ModuleTest, knows_the_hash_of_the_whole_file) {
  compile("-O0");
  EXPECT_EQ(open("program")->sha256().value() + "  program\n", folder_.output("sha256sum program"));
}

TEST_F(ModuleTest, gives_its_descriptor_up_and_opens_again) {
  compile("-O2 -g");
  const auto module = open("program");
  const uint64_t address = address_of("program", "plain_c");
  module->close_file();
  EXPECT_FALSE(module->holds_descriptor());
  EXPECT_EQ(module->resolve(address).at(0).line, 25);
  module->close_file();
  // Another build under the same name is not the same binary.
  compile("-O0 -g");
  EXPECT_EQ(module->elf(), nullptr);
  EXPECT_EQ(module->resolve(address).at(0).function, "plain_c");
}

}  // namespace
}  // namespace atys::symbolize

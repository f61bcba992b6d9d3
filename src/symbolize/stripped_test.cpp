// SPDX-License-Identifier: Apache-2.0
// Programs and libraries without symbols: each function has one name, that of the place where nm says it begins.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>

#include "support/compiled_program.h"
#include "symbolize/function_ranges.h"
#include "symbolize/module.h"
#include "symbolize/module_resources.h"

namespace atys::symbolize {
namespace {

struct NamedFunction {
  uint64_t address = 0;
  uint64_t size = 0;
  std::string name;
};

class StrippedTest : public testing::Test {
 protected:
  std::shared_ptr<Module> open(const std::string& name) {
    auto file = ElfFile::open(folder_.file(name));
    EXPECT_TRUE(file.ok());
    return std::make_shared<Module>(Module::Origin{.path = folder_.file(name)}, std::make_shared<const ElfFile>(file.take()),
                                    std::make_shared<ModuleResources>(ModuleStoreOptions{}));
  }
  // Functions with a size, by nm.
  std::vector<NamedFunction> functions(const std::string& program) {
    std::vector<NamedFunction> found;
    std::istringstream lines(folder_.output("nm -S --defined-only " + program + " | awk 'NF == 4 && $3 ~ /[tTwW]/'"));
    NamedFunction one;
    for (std::string kind; lines >> std::hex >> one.address >> one.size >> kind >> one.name;) found.push_back(one);
    return found;
  }
  std::string name_at(Module& module, uint64_t address) {
    const auto frames = module.resolve(address);
    return frames.empty() ? "" : frames.back().function;
  }
  test::BuildFolder folder_;
};

std::string hex_name(const std::string& file, uint64_t address) {
  std::ostringstream text;
  text << "[" << file << "+0x" << std::hex << address << "]";
  return text.str();
}

TEST_F(StrippedTest, each_function_of_a_program_is_one_named_by_its_start) {
  folder_.write("program.cpp", test::kSampleProgram);
  for (const char* options : {"-O0", "-O2", "-O2 -static", "-O2 -no-pie"}) {
    ASSERT_TRUE(folder_.run(std::string("g++ ") + options + " -o whole program.cpp && strip -o program whole"));
    const auto module = open("program");
    size_t seen = 0;
    for (const NamedFunction& function : functions("whole")) {
      if (function.name.find("Counter") == std::string::npos && function.name != "plain_c" && function.name != "main")
        continue;
      ++seen;
      for (uint64_t at = function.address; at < function.address + function.size; ++at)
        ASSERT_EQ(name_at(*module, at), hex_name("program", function.address)) << options << " " << function.name;
    }
    EXPECT_GE(seen, 3u) << options;
  }
}

TEST_F(StrippedTest, a_hidden_function_is_not_taken_for_the_exported_one_before_it) {
  folder_.write("library.c", R"(
#include <stdlib.h>
__asm__(".text\n.globl label\n.type label, @function\nlabel: ret\n");  /* without a size, as assembler has them */
static __attribute__((noinline)) int hidden_first(int n) { return n * rand(); }
__attribute__((noinline)) int exported(int n) { return hidden_first(n) + rand(); }
static __attribute__((noinline)) int hidden_last(int n) { return n + 3 * rand(); }
int exported_too(int n) { return exported(n) + hidden_last(n); }
)");
  for (const char* options : {"-O1", "-O0"}) {
    ASSERT_TRUE(folder_.run(std::string("gcc -shared -fPIC -fno-toplevel-reorder ") + options +
                            " -o whole.so library.c && strip -o library.so whole.so"));
    const auto module = open("library.so");
    std::set<std::string> seen;
    for (const NamedFunction& function : functions("whole.so")) {
      const bool is_hidden = function.name.starts_with("hidden");
      if (!is_hidden && !function.name.starts_with("exported")) continue;
      seen.insert(function.name);
      const std::string wanted = is_hidden ? hex_name("library.so", function.address) : function.name;
      for (uint64_t at = function.address; at < function.address + function.size; ++at)
        ASSERT_EQ(name_at(*module, at), wanted) << options << " " << function.name;
    }
    EXPECT_EQ(seen.size(), 4u);
    const std::string text = folder_.output("nm whole.so | grep ' label$'");
    EXPECT_EQ(name_at(*module, std::strtoull(text.c_str(), nullptr, 16)), "label");
  }
}

TEST_F(StrippedTest, names_that_are_left_are_used) {
  folder_.write("program.cpp", test::kSampleProgram);
  ASSERT_TRUE(folder_.run(
      "g++ -O2 -o whole program.cpp && nm whole -f posix | awk '$2 ~ /[tT]/ {print $1}' | grep -v plain_c > kept && "
      "objcopy --only-keep-debug whole debug && objcopy -S --remove-section .gnu_debuglink "
      "--remove-section .comment --keep-symbols=kept debug mini && xz -q mini && strip -o program whole && "
      "objcopy --add-section .gnu_debugdata=mini.xz program"));
  const auto module = open("program");
  for (const NamedFunction& function : functions("whole")) {
    if (function.name != "main" && function.name != "plain_c") continue;
    const std::string wanted = function.name == "main" ? "main" : hex_name("program", function.address);
    EXPECT_EQ(name_at(*module, function.address + 1), wanted);
  }
}

TEST_F(StrippedTest, functions_of_two_files_under_one_name_are_told_apart_by_their_files) {
  folder_.write("one.cpp", R"(#include <cstdlib>
namespace { __attribute__((noinline)) int work(int n) { return n * std::rand(); } }
int one(int n) { return work(n) + 1; }
static __attribute__((noinline)) int lone(int n) { return n - std::rand(); }
int also(int n) { return lone(n) + 1; }
)");
  folder_.write("two.cpp", R"(#include <cstdlib>
namespace { __attribute__((noinline)) int work(int n) { return n + std::rand(); } }
int two(int n) { return work(n) + 2; }
)");
  folder_.write("three.cpp", R"(#include <cstdlib>
namespace { __attribute__((noinline)) int work(int n) { return n ^ std::rand(); } }
int one(int); int two(int); int also(int);
__attribute__((noinline)) int parted(int n) { if (__builtin_expect(n == 77, 0)) { std::abort(); } return n * std::rand(); }
int main(int argc, char**) { return parted(argc) + work(argc) + one(argc) + two(argc) + also(argc); }
)");
  ASSERT_TRUE(folder_.run("g++ -O2 -o program one.cpp two.cpp three.cpp"));
  const auto module = open("program");
  std::set<std::string> places;
  int parts = 0;  // a function and what is seldom of it
  for (const NamedFunction& function : functions("program")) {
    const auto frames = module->resolve(function.address);
    ASSERT_EQ(frames.size(), 1u);
    if (frames[0].function == "(anonymous namespace)::work(int)") places.insert(frames[0].file);
    if (frames[0].function == "parted(int)") ++parts;
    if (frames[0].function != "lone(int)" && frames[0].function != "parted(int)") continue;
    EXPECT_EQ(frames[0].file, "") << "nothing else has its name";
  }
  EXPECT_EQ(places, (std::set<std::string>{"one.cpp", "three.cpp", "two.cpp"}));
  EXPECT_EQ(parts, 2);
  auto file = ElfFile::open(folder_.file("program"));
  const SymbolTable built = SymbolTable::build(*file);
  const auto kept = SymbolTable::parse(built.flat());
  ASSERT_TRUE(kept.has_value());
  for (const NamedFunction& function : functions("program")) {
    ASSERT_TRUE(kept->find(function.address).has_value());
    EXPECT_EQ(kept->find(function.address)->file, built.find(function.address)->file);
  }
}

TEST_F(StrippedTest, ranges_are_known_without_section_headers) {
  folder_.write("program.cpp", test::kSampleProgram);
  ASSERT_TRUE(folder_.run("g++ -O2 -o whole program.cpp && strip -o program whole"));
  auto file = ElfFile::open(folder_.file("program"));
  const size_t ranges = FunctionRanges::read(*file).size();
  EXPECT_GT(ranges, 5u);
  if (!folder_.run("strip --strip-section-headers -o bare program 2> /dev/null")) {
    // Older tools cannot: the header of the file says where the sections' headers are, and how many.
    ASSERT_TRUE(folder_.run(
        "cp program bare && printf '\\0\\0\\0\\0\\0\\0\\0\\0' | dd of=bare bs=1 seek=40 conv=notrunc 2> /dev/null && "
        "printf '\\0\\0\\0\\0' | dd of=bare bs=1 seek=60 conv=notrunc 2> /dev/null"));
  }
  auto bare = ElfFile::open(folder_.file("bare"));
  ASSERT_TRUE(bare.ok());
  EXPECT_EQ(FunctionRanges::read(*bare).size(), ranges);
}

}  // namespace
}  // namespace atys::symbolize

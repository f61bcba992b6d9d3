// SPDX-License-Identifier: Apache-2.0
// What a stripped program of Go says about itself, beside what the debug information of the same program says.
#include "symbolize/go_binary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>

#include "support/compiled_program.h"
#include "symbolize/dwarf.h"
#include "symbolize/module.h"
#include "symbolize/module_resources.h"

namespace atys::symbolize {
namespace {

constexpr const char* kProgram = R"(package main

import (
	"fmt"
	"os"
	"sort"
	"strings"
)

type pair struct{ a, b int }

func (p pair) sum() int { return add(p.a, p.b) }

func add(a, b int) int { return a*3 + b }

//go:noinline
func outer(p pair) int {
	return p.sum() + len(os.Args)
}

func main() {
	words := strings.Fields("c a b")
	sort.Strings(words)
	fmt.Println(words, outer(pair{1, len(words)}))
}
)";

// Methods of an embedded type, called by an interface, need functions that no source file has.
constexpr const char* kWrappers = R"(package main

import "os"

type shape interface{ area(n int) int }
type base struct{ k int }

func (b base) area(n int) int { return b.k + n }

type wrapped struct{ base }

func main() {
	shapes := []shape{&wrapped{base{1}}, &base{2}}
	os.Exit(shapes[len(os.Args)%2].area(len(os.Args)))
}
)";

struct Compared {
  size_t places = 0;
  size_t same_functions = 0;
  size_t same_chains = 0;  // names, files and lines of all that is inlined there
  size_t inlined = 0;
};

// Type arguments are spelled out in debug information, and left out by the runtime.
std::string plain_name(std::string_view name) {
  std::string plain;
  int depth = 0;
  for (const char c : name) {
    depth += c == '[' ? 1 : 0;
    if (depth == 0) plain += c;
    depth -= c == ']' ? 1 : 0;
  }
  return plain;
}

bool is_same(const GoFrame& ours, const DwarfFrame& theirs) {
  return plain_name(ours.function) == plain_name(theirs.function) && ours.file == theirs.file && ours.line == theirs.line;
}

class GoBinaryTest : public testing::Test {
 protected:
  // False: this machine cannot build programs of Go.
  bool build(const std::string& options, const std::string& output, const std::string& environment = "") {
    folder_.write("program.go", kProgram);
    const std::string cache =
        std::getenv("GOCACHE") != nullptr || std::getenv("HOME") != nullptr ? "" : "GOCACHE=$PWD/cache ";
    return folder_.run("command -v go >/dev/null && " + cache + "CGO_ENABLED=0 GO111MODULE=off " + environment +
                       " go build " + options + " -o " + output + " program.go");
  }
  std::shared_ptr<const ElfFile> open(const std::string& name) {
    auto file = ElfFile::open(folder_.file(name));
    EXPECT_TRUE(file.ok());
    return std::make_shared<const ElfFile>(file.take());
  }
  uint64_t number(const std::string& command) { return std::strtoull(folder_.output(command).c_str(), nullptr, 16); }

  Compared compare(const std::string& whole, const std::string& stripped) {
    Compared compared;
    const auto dwarf = DwarfInfo::open(open(whole));
    const auto go = GoBinary::open(open(stripped));
    EXPECT_TRUE(dwarf.ok() && go);
    if (!dwarf.ok() || !go) return compared;
    const uint64_t begin = number("nm " + whole + " | grep ' runtime.text$'");
    const uint64_t end = number("nm " + whole + " | grep ' runtime.etext$'");
    const uint64_t step = std::max<uint64_t>(4, (end - begin) / 10'000 / 4 * 4);
    for (uint64_t address = begin; address < end; address += step) {
      const auto theirs = (*dwarf)->frames_at(address);
      if (theirs.empty() || theirs.back().function.empty()) continue;
      add(compared, theirs, go->frames_at(address));
    }
    return compared;
  }

  static void add(Compared& compared, const std::vector<DwarfFrame>& theirs, const std::vector<GoFrame>& ours) {
    ++compared.places;
    if (ours.empty()) return;
    compared.same_functions += plain_name(ours.back().function) == plain_name(theirs.back().function);
    compared.same_chains += std::ranges::equal(ours, theirs, is_same);
    compared.inlined += ours.size() > 1;
  }

  test::BuildFolder folder_;
};

TEST_F(GoBinaryTest, agrees_with_the_debug_information_of_the_same_program) {
  for (const std::string mode : {"", "-buildmode=pie "}) {
    if (!build(mode, "whole") || !build(mode + "-ldflags='-s -w'", "stripped")) GTEST_SKIP() << "go cannot build: " << mode;
    const Compared compared = compare("whole", "stripped");
    RecordProperty("places" + mode, static_cast<int>(compared.places));
    EXPECT_GT(compared.places, 5'000u) << mode;
    EXPECT_EQ(compared.same_functions, compared.places) << mode;
    EXPECT_GT(compared.inlined, compared.places / 10) << mode;
    EXPECT_GE(compared.same_chains * 100, compared.places * 97) << mode << compared.same_chains << " of " << compared.places;
  }
}

TEST_F(GoBinaryTest, finds_the_table_where_there_are_no_sections) {
  if (!build("-ldflags='-s -w'", "stripped")) GTEST_SKIP() << "go cannot build";
  const auto by_section = GoBinary::open(open("stripped"));
  ASSERT_TRUE(by_section);
  // Offset, size, number and name of the section headers in the header of an ELF file.
  ASSERT_TRUE(folder_.run(
      "cp stripped bare && printf '\\0\\0\\0\\0\\0\\0\\0\\0' | dd of=bare bs=1 seek=40 conv=notrunc status=none && "
      "printf '\\0\\0\\0\\0\\0\\0' | dd of=bare bs=1 seek=58 conv=notrunc status=none"));
  const auto by_look = GoBinary::open(open("bare"));
  ASSERT_TRUE(by_look);
  EXPECT_EQ(by_look->table().size(), by_section->table().size());
}

TEST_F(GoBinaryTest, shows_inlined_methods_in_a_program_without_symbols) {
  if (!build("", "whole") || !build("-ldflags='-s -w'", "stripped")) GTEST_SKIP() << "go cannot build";
  auto go = GoBinary::open(open("stripped"));
  ASSERT_TRUE(go);
  const uint64_t start = number("nm whole | grep ' main.outer$'");
  bool is_seen = false;
  for (uint64_t address = start; address < start + 64; ++address) {
    const auto frames = go->frames_at(address);
    if (frames.size() != 3) continue;
    is_seen = true;
    EXPECT_EQ(frames[0].function, "main.add");
    EXPECT_EQ(frames[0].line, 14);
    EXPECT_EQ(frames[0].start_line, 14);
    EXPECT_EQ(frames[1].function, "main.pair.sum");
    EXPECT_EQ(frames[1].line, 12);
    EXPECT_EQ(frames[2].function, "main.outer");
    EXPECT_EQ(frames[2].line, 18);
    EXPECT_EQ(frames[2].file, folder_.file("program.go"));
    // Without the file there is no tree, and the line at that place would be one of another function.
    GoBinary without = *go;
    without.detach();
    const auto rest = without.frames_at(address);
    ASSERT_EQ(rest.size(), 1u);
    EXPECT_EQ(rest[0].function, "main.outer");
    EXPECT_EQ(rest[0].line, 0);
  }
  EXPECT_TRUE(is_seen);
}

TEST_F(GoBinaryTest, is_nothing_for_other_programs) {
  folder_.write("program.cpp", test::kSampleProgram);
  ASSERT_TRUE(folder_.run("g++ -O1 -o program program.cpp"));
  EXPECT_FALSE(GoBinary::open(open("program")));
}

// A program of another release or architecture than those that this machine builds: ATYS_GO_PAIR=WHOLE:STRIPPED.
TEST_F(GoBinaryTest, agrees_for_a_given_pair_of_programs) {
  const char* pair = std::getenv("ATYS_GO_PAIR");
  if (pair == nullptr) GTEST_SKIP() << "ATYS_GO_PAIR is not set";
  const std::string text = pair;
  const size_t colon = text.find(':');
  ASSERT_NE(colon, std::string::npos);
  ASSERT_TRUE(folder_.run("ln -s '" + text.substr(0, colon) + "' whole && ln -s '" + text.substr(colon + 1) + "' stripped"));
  const Compared compared = compare("whole", "stripped");
  std::cout << compared.places << " places, " << compared.same_functions << " functions and " << compared.same_chains
            << " chains the same, " << compared.inlined << " with inlined calls\n";
  EXPECT_EQ(compared.same_functions, compared.places);
}

TEST_F(GoBinaryTest, every_instruction_of_a_function_that_the_compiler_wrote_says_so) {
  folder_.write("wrappers.go", kWrappers);
  if (!folder_.run("command -v go >/dev/null && CGO_ENABLED=0 GO111MODULE=off go build -o wrappers wrappers.go"))
    GTEST_SKIP() << "no go";
  const auto module = std::make_shared<Module>(Module::Origin{.path = folder_.file("wrappers")}, open("wrappers"),
                                               std::make_shared<ModuleResources>(ModuleStoreOptions{}));
  std::istringstream symbol(folder_.output("nm -S wrappers | grep '[*]wrapped).area$'"));
  uint64_t address = 0;
  uint64_t size = 0;
  ASSERT_TRUE(symbol >> std::hex >> address >> size);
  for (uint64_t at = address; at < address + size; ++at) {
    const auto frames = module->resolve(at);
    ASSERT_FALSE(frames.empty());
    EXPECT_EQ(frames.back().function, "main.(*wrapped).area");
    EXPECT_EQ(frames.back().file, "<autogenerated>") << at - address;
  }
}

}  // namespace
}  // namespace atys::symbolize

// SPDX-License-Identifier: Apache-2.0
// Rules from the table of Go's runtime, beside those of the same program's .debug_frame.
#include "unwind/go_frames.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "support/compiled_program.h"
#include "symbolize/go_binary.h"
#include "unwind/unwind_table.h"

namespace atys::unwind {
namespace {

constexpr const char* kProgram = R"(package main

import "fmt"

//go:noinline
func leaf(n uint64) uint64 {
	for i := uint64(0); i < n; i++ {
		n ^= n << 13
	}
	return n
}

func main() { fmt.Println(leaf(3)) }
)";

class GoFramesTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    folder_.write("program.go", kProgram);
    const std::string cache =
        std::getenv("GOCACHE") != nullptr || std::getenv("HOME") != nullptr ? "" : "GOCACHE=$PWD/cache ";
    const std::string command = cache + "CGO_ENABLED=0 GO111MODULE=off GOARCH=" + GetParam() + " go build -o ";
    if (!folder_.run("command -v go >/dev/null && " + command + "whole program.go && " + command +
                     "stripped -ldflags='-s -w' program.go"))
      GTEST_SKIP() << "this machine cannot build programs of Go";
  }
  symbolize::ElfFile open(const std::string& name) { return symbolize::ElfFile::open(folder_.file(name)).take(); }

  test::BuildFolder folder_;
};

// How many places have the same way to their caller. Rules by other registers than sp are of no use here.
TEST_P(GoFramesTest, agree_with_call_frame_information) {
  const auto whole = open("whole");
  const auto table = symbolize::read_go_table(whole);
  ASSERT_TRUE(table);
  const auto theirs = UnwindTable::compile(whole).take();
  const auto rows = go_rows(*table, theirs.machine());
  const auto ours = UnwindTable::from_rows(theirs.machine(), rows);
  size_t places = 0;
  size_t same = 0;
  ours.for_each([&](uint64_t begin, uint64_t end, const Rule& rule) {
    for (uint64_t at = begin; at < end; at += 4) {
      const Rule* known = theirs.find(at);
      if (known == nullptr || known->cfa == Rule::Cfa::None) continue;
      ++places;
      same += known->cfa == rule.cfa && known->cfa_offset == rule.cfa_offset && known->ra == rule.ra &&
                      known->ra_offset == rule.ra_offset
                  ? 1
                  : 0;
    }
  });
  EXPECT_GT(places, 10'000u);
  EXPECT_GT(static_cast<double>(same), 0.99 * static_cast<double>(places)) << same << " of " << places;
}

TEST_P(GoFramesTest, tell_roots_and_functions_without_frame_in_a_stripped_program) {
  const auto stripped = open("stripped");
  const auto rules = UnwindTable::compile(stripped).take();
  const auto table = symbolize::read_go_table(stripped);
  ASSERT_TRUE(table);
  size_t roots = 0;
  size_t leaves = 0;
  table->for_each_frame([&](std::string_view name, std::span<const symbolize::GoTable::FrameRange> ranges) {
    if (ranges.empty()) return;
    const Rule* rule = rules.find(ranges.front().begin);
    ASSERT_NE(rule, nullptr) << name;
    if (name == "runtime.goexit") roots += rule->cfa == Rule::Cfa::Root ? 1 : 0;
    if (name == "main.leaf") leaves += ranges.size() == 1 && ranges.front().bytes == 0 ? 1 : 0;
  });
  EXPECT_EQ(roots, 1u);
  EXPECT_EQ(leaves, 1u);
}

INSTANTIATE_TEST_SUITE_P(machines, GoFramesTest, testing::Values("amd64", "arm64"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace atys::unwind

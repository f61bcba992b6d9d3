// SPDX-License-Identifier: Apache-2.0
#include "symbolize/jit_map.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>

namespace atys::symbolize {
namespace {

std::string name_at(const JitMap& map, uint64_t address) {
  const auto found = map.resolve(address);
  return found ? std::string(found->name) : "-";
}

TEST(jit_map, names_the_function_of_an_address) {
  const auto map = JitMap::parse("1000 10 first\n0x2000 0x20 LazyCompile:~f /app/a b.js:3\r\n");
  EXPECT_EQ(name_at(map, 0xfff), "-");
  EXPECT_EQ(name_at(map, 0x1000), "first");
  EXPECT_EQ(name_at(map, 0x100f), "first");
  EXPECT_EQ(name_at(map, 0x1010), "-");
  EXPECT_EQ(name_at(map, 0x201f), "LazyCompile:~f /app/a b.js:3");
  EXPECT_EQ(map.resolve(0x2001)->address, 0x2000u);
  EXPECT_EQ(map.resolve(0x2001)->size, 0x20u);
}

TEST(jit_map, leaves_out_lines_that_make_no_sense) {
  const auto map =
      JitMap::parse("\n \nx y z\n1000\n1000 10\n1000 10 \n1000 0 none\nffffffffffffffff 2 over\n-1 2 x\n1000 10 ok");
  EXPECT_EQ(map.size(), 1u);
  EXPECT_EQ(name_at(map, 0x1001), "ok");
}

TEST(jit_map, lets_later_lines_win) {
  const auto map = JitMap::parse("1000 100 old\n1040 10 new\n3000 10 a\n3000 10 b\n2ff0 30 c\n");
  EXPECT_EQ(name_at(map, 0x103f), "old");
  EXPECT_EQ(name_at(map, 0x1040), "new");
  EXPECT_EQ(name_at(map, 0x1050), "old");
  EXPECT_EQ(name_at(map, 0x3008), "c");
  EXPECT_EQ(name_at(map, 0x3020), "-");
}

TEST(jit_map, agrees_with_painting_one_line_after_the_other) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<std::string> painted(256, "-");
    std::string text;
    for (int i = 0; i < 40; ++i) {
      const unsigned start = random() % 200;
      const unsigned size = 1 + random() % 40;
      const std::string name = "f" + std::to_string(i);
      char line[64];
      std::snprintf(line, sizeof line, "%x %x %s\n", start, size, name.c_str());
      text += line;
      for (unsigned at = start; at < start + size; ++at) painted[at] = name;
    }
    const auto map = JitMap::parse(text);
    for (uint64_t at = 0; at < painted.size(); ++at) ASSERT_EQ(name_at(map, at), painted[at]) << text << at;
  }
}

class OwnJitMap : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove(path_); }
  void TearDown() override { std::filesystem::remove(path_); }
  void write() { std::ofstream(path_) << "1000 10 made_at_run_time\n"; }
  std::string refusal() {
    const auto map = open_jit_map(::getpid());
    return map.ok() ? "accepted" : map.error().message;
  }
  std::string path_ = "/tmp/perf-" + std::to_string(::getpid()) + ".map";
};

TEST_F(OwnJitMap, is_read_from_the_root_of_its_process) {
  EXPECT_EQ(open_jit_map(::getpid()).error().code, ErrorCode::NotFound);
  write();
  const auto map = open_jit_map(::getpid());
  ASSERT_TRUE(map.ok()) << map.error().message;
  EXPECT_EQ(name_at(*map, 0x1000), "made_at_run_time");
}

TEST_F(OwnJitMap, is_refused_where_it_is_not_good) {
  write();
  std::filesystem::last_write_time(path_, std::filesystem::file_time_type::clock::now() - std::chrono::hours(24));
  EXPECT_NE(refusal().find("older than the process"), std::string::npos) << refusal();
}

}  // namespace
}  // namespace atys::symbolize

// SPDX-License-Identifier: Apache-2.0
// Tables as CPython 3.8 to 3.13 made them, and the lines that the same Python says (co_lines, dis.findlinestarts).
#include "capture/python/line_table.h"

#include <gtest/gtest.h>

#include <charconv>
#include <random>
#include <string>
#include <vector>

namespace atys::capture::python {
namespace {

struct Compiled {
  uint32_t minor;
  const char* function;
  int64_t first_line;
  const char* table;  // in hex
  const char* lines;  // "4x3 2x0": two units of code (four bytes) of line 3, then two that have none
};

// clang-format off
constexpr Compiled kCompiled[] = {
    {8, "plain", 2,
     "000108010801",
     "4x3 4x4 4x5"},
    {8, "spread", 6,
     "0001020102ff0202020102ff02fe0205020102ff02fb",
     "1x7 1x8 1x7 1x9 1x10 1x9 1x7 1x12 1x13 1x12 2x7"},
    {8, "loop", 15,
     "000104010c0108010a030a0108010a01",
     "2x16 6x17 4x18 5x19 5x22 4x23 5x24 2x25"},
    {8, "guarded", 26,
     "000104010a0124011001020102ff020102ff1803",
     "2x27 5x28 18x29 8x30 1x31 1x32 1x31 1x32 12x31 7x34"},
    {8, "long_jump", 35,
     "0001047f007f0030027f0019028000e8047f001a",
     "2x36 1x338 1x490 2x338 2x491"},
    {8, "generator", 492,
     "00010c01060206fe0a04",
     "6x493 3x494 3x496 5x494 2x498"},
    {9, "plain", 2,
     "000108010801",
     "4x3 4x4 4x5"},
    {9, "spread", 6,
     "0001020102ff0202020102ff02fe0205020102ff02fb",
     "1x7 1x8 1x7 1x9 1x10 1x9 1x7 1x12 1x13 1x12 2x7"},
    {9, "loop", 15,
     "000104010c0108010a030a0108010a01",
     "2x16 6x17 4x18 5x19 5x22 4x23 5x24 2x25"},
    {9, "guarded", 26,
     "000104010a01180508fb16010e01020102ff020102ff1a03",
     "2x27 5x28 12x29 4x34 11x29 7x30 1x31 1x32 1x31 1x32 13x31 12x34"},
    {9, "long_jump", 35,
     "0001047f007f0030027f0019028000e8047f001a",
     "2x36 1x338 1x490 2x338 2x491"},
    {9, "generator", 492,
     "00010c01060206fe0a04",
     "6x493 3x494 3x496 5x494 2x498"},
    {10, "plain", 2,
     "080108010801",
     "4x3 4x4 4x5"},
    {10, "spread", 6,
     "0201020102ff0202020102ff02fe0205020102ff04fb",
     "1x7 1x8 1x7 1x9 1x10 1x9 1x7 1x12 1x13 1x12 2x7"},
    {10, "loop", 15,
     "04010c0108010a010a030801080108ff0402",
     "2x16 6x17 4x18 5x19 5x22 4x23 4x24 4x23 2x25"},
    {10, "guarded", 26,
     "04010a01060112ff0a0614fa0e020201020102ff020102ff088002ff02fe1606",
     "2x27 5x28 3x29 9x28 5x34 10x28 7x30 1x31 1x32 1x31 1x32 1x31 4x0 1x30 1x28 11x34"},
    {10, "long_jump", 35,
     "0401007f007f0230007f0219008104e7007f041a",
     "2x36 1x338 1x490 2x338 2x491"},
    {10, "generator", 492,
     "02800c01060106020afe0404",
     "1x0 6x493 3x494 3x496 5x494 2x498"},
    {11, "plain", 2,
     "8000d80809884189058041d80809884189058041d80b0c88718935804c",
     "1x2 5x3 5x4 5x5"},
    {11, "spread", 6,
     "8000dd0b10d80809f103020c06f400020c06e5080dd80809f103020906f400020906f105040c06f00a00090ad80a0bf10301090cf10b070c06f0"
     "00070506",
     "1x6 6x7 1x8 7x7 6x9 1x10 7x9 2x7 1x12 1x13 2x12 3x7"},
    {11, "loop", 15,
     "8000d80c0d8045dd0d12903189588c58f000050517f0000505178801d80b0c88718935f000040917d80c119051894a88458845f006000d129051"
     "894a88458845d80a0f90228a2a882ad8080d9011890a8805f003000b1090228a2a882ae00b10804c",
     "1x15 2x16 17x17 5x18 6x19 6x22 6x23 5x24 6x23 2x25"},
    {11, "guarded", 26,
     "8000f002070511dd0d11902189578c57f00001091c9801d813149736923691389438f00301091cf00001091cf00001091cf00001091cf1000109"
     "1cf40001091cf00001091cf50c00090e886189088c0888088808f00d01091cf00001091cf00001091cf00001091cf8f8f8f00001091cf0000109"
     "1cf00001091cf00001091cf00001091cf8e50b12f000020516f000020516f000020516dd0e18d80c0df103010f0ff400010f0fd81415f0030109"
     "16f8f8f8f8f003020516f8f8f8f00501091cf50c00090e886189088c08880888088808f88d05886189088c0888088808f8f8f8",
     "1x26 1x27 16x28 19x29 12x28 16x34 4x28 3x0 5x28 1x0 9x30 6x31 1x32 7x31 1x32 1x31 4x0 1x30 3x0 1x28 17x34 1x0 "
     "16x34 3x0"},
    {11, "long_jump", 35,
     "8000d808098041f05c09000a0bf07004000708f1710458020a088041f07204000c0d8048",
     "1x35 2x36 1x338 1x490 3x338 2x491"},
    {11, "generator", 492,
     "e800e8008000dd0d12903189588c58f00004050af00004050a8801f00203150af00003150ae50c11902189488c48f00503150af10003150af400"
     "03150af000030f0af000030f0a88038803f008000c0f804a",
     "3x492 17x493 2x494 14x496 12x494 2x498"},
    {12, "plain", 2,
     "8000d80809884189058041d80809884189058041d80b0c88718935804c",
     "1x2 5x3 5x4 5x5"},
    {12, "spread", 6,
     "8000dc0b10d80809f303020c06e4080dd80809f303020906f105040c06f00a00090ad80a0bf10301090cf10b070c06f000070506",
     "1x6 5x7 1x8 4x7 5x9 1x10 4x9 2x7 1x12 1x13 2x12 3x7"},
    {12, "loop", 15,
     "8000d80c0d8045dc0d1290318b58f2000505178801d80b0c88718a35d80c119051894a8945f006000d129051894a8945f00b050517f00c000b10"
     "90228a2ad8080d9011890a8805f003000b1090228b2ae00b10804c",
     "1x15 2x16 14x17 5x18 6x19 6x22 1x17 5x23 5x24 6x23 2x25"},
    {12, "guarded", 26,
     "8000f002070511dc0d1190218b57f00001091c9801d81314973691369338f70301091cf00001091cf40c00090e88618d08f70d01091cf0000109"
     "1cfaf00001091cf8e40b12f200020516dc0e18d80c0df303010f0fd81415f003010916fbf003020516faf00501091cf40c00090e88618d08f88c"
     "0588618d08fa",
     "1x26 1x27 12x28 15x29 9x28 12x34 9x28 3x0 1x28 1x0 8x30 5x31 1x32 4x31 1x32 1x31 4x0 1x30 3x0 1x28 12x34 1x0 "
     "12x34 3x0"},
    {12, "long_jump", 35,
     "8000d808098041f05c09000a0bf07004000708f1710458020a088041f07204000c0d8048",
     "1x35 2x36 1x338 1x490 3x338 2x491"},
    {12, "generator", 492,
     "e800f88000dc0d1290318b58f20004050a8801f406000d1290218b48f60503150ad812138a41f20303150af100030f0a8903f00304050af00a00"
     "0c0f804af9f20903150af9",
     "1x492 1x0 1x492 14x493 10x496 7x494 4x495 7x494 1x493 2x498 2x0 3x494 2x0"},
    {13, "plain", 2,
     "8000d80809884189058041d80809884189058041d80b0c8935804c",
     "1x2 5x3 5x4 4x5"},
    {13, "spread", 6,
     "8000dc0b10d80809f303020c06e4080dd80809f303020906f105040c06f00a00090ad80a0bf10301090cf10b070c06f000070506",
     "1x6 5x7 1x8 4x7 5x9 1x10 4x9 2x7 1x12 1x13 2x12 3x7"},
    {13, "loop", 15,
     "8000d80c0d8045dc0d1290318e588801d80b0c88718f35d80c11894a8a45f006000d12894a8a45f10b000e16f00c000b1090228b2ad8080d9011"
     "890a8805f003000b1090228d2ae00b10804c",
     "1x15 2x16 14x17 10x18 6x19 6x22 2x17 6x23 5x24 8x23 2x25"},
    {13, "guarded", 26,
     "8000f002070511dc0d1190218c579801d81314973691369338f703000e158857f40c00090e88618d08f70d000e158d57fbe40b12f300020516dc"
     "0e18d80c0df303010f0fd81415f003010916fbf003020516faf005000e15f40c00090e88618d08f88c0588618d08fa",
     "1x26 1x27 12x28 15x29 9x28 12x34 14x28 4x0 9x30 5x31 1x32 4x31 1x32 1x31 4x0 1x30 3x0 1x28 12x34 1x0 12x34 "
     "3x0"},
    {13, "long_jump", 35,
     "8000d808098041f05c09000a0bf07004000708f1710458020a088041f07204000c0d8048",
     "1x35 2x36 1x338 1x490 3x338 2x491"},
    {13, "generator", 492,
     "e9008000dc0d1290318e588801f406000d1290218c48f30503150ae10c14f0030013148a41d90c14f10503150af100030f0a8a03f103000e16f0"
     "0a000c0f804af9f20903150af9",
     "3x492 14x493 11x496 4x494 2x496 4x495 2x496 7x494 2x493 2x498 2x0 3x494 2x0"},
};
// clang-format on

int64_t number_at(const char*& text, int base = 10, size_t most = 20) {
  int64_t value = 0;
  const size_t size = std::min(most, std::string_view(text).size());
  text = std::from_chars(text, text + size, value, base).ptr;
  return value;
}

std::string bytes_of(const char* hex) {
  std::string bytes;
  while (*hex != 0) bytes += static_cast<char>(number_at(hex, 16, 2));
  return bytes;
}

// The line of each unit of code.
std::vector<int64_t> lines_of(const char* text) {
  std::vector<int64_t> lines;
  while (*text != 0) {
    const int64_t count = number_at(text);
    const int64_t line = number_at(++text);
    lines.insert(lines.end(), static_cast<size_t>(count), line);
    if (*text == ' ') ++text;
  }
  return lines;
}

TEST(line_table, says_of_every_instruction_what_its_own_python_says) {
  for (const Compiled& code : kCompiled) {
    const std::string table = bytes_of(code.table);
    const std::vector<int64_t> lines = lines_of(code.lines);
    ASSERT_GT(lines.size(), 4U);
    for (size_t i = 0; i < lines.size(); ++i)
      EXPECT_EQ(line_of(code.minor, table, code.first_line, static_cast<int64_t>(2 * i)), lines[i])
          << "3." << code.minor << " " << code.function << " at unit " << i;
  }
}

TEST(line_table, a_frame_that_has_not_begun_is_on_the_first_line) {
  for (const Compiled& code : kCompiled) {
    EXPECT_EQ(line_of(code.minor, bytes_of(code.table), code.first_line, -1), code.first_line);
    EXPECT_EQ(line_of(code.minor, bytes_of(code.table), code.first_line, INT64_MIN), code.first_line);
  }
}

TEST(line_table, a_position_behind_the_code_is_on_its_last_line) {
  const std::string steps("\x00\x01\x08\x01", 4);
  const std::string pieces("\x08\x01\x08\x01", 4);
  for (const int64_t offset : {int64_t{16}, int64_t{1000}, INT64_MAX}) {
    EXPECT_EQ(line_of(9, steps, 10, offset), 12);
    EXPECT_EQ(line_of(10, pieces, 10, offset), 12);
  }
  const Compiled& last = kCompiled[std::size(kCompiled) - 2];  // long_jump: ends with the line of `return`
  EXPECT_EQ(line_of(last.minor, bytes_of(last.table), last.first_line, INT64_MAX), 491);
}

TEST(line_table, without_a_table_there_is_the_first_line) {
  for (uint32_t minor = 8; minor <= 15; ++minor) EXPECT_EQ(line_of(minor, "", 7, 20), 7) << minor;
}

TEST(line_table, a_table_cut_anywhere_says_the_same_as_far_as_it_goes) {
  for (const Compiled& code : kCompiled) {
    const std::string table = bytes_of(code.table);
    const int64_t whole = line_of(code.minor, table, code.first_line, 0);
    for (size_t size = 12; size < table.size(); ++size)
      EXPECT_EQ(line_of(code.minor, std::string_view(table).substr(0, size), code.first_line, 0), whole) << code.function;
  }
}

TEST(line_table, random_bytes_give_a_line_that_can_be_one) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 3000; ++round) {
    std::string table(random() % 300, 0);
    for (char& byte : table) byte = static_cast<char>(random());
    const auto minor = static_cast<uint32_t>(8 + random() % 8);
    const int64_t line = line_of(minor, table, static_cast<int32_t>(random()), static_cast<int64_t>(random() % 4096) - 8);
    EXPECT_GE(line, 0);
    EXPECT_LE(line, INT32_MAX);
  }
}

TEST(line_table, steps_as_large_as_can_be_written_do_not_add_up_to_nonsense) {
  for (const char sign : {0, 1}) {
    std::string table;
    for (int i = 0; i < 1000; ++i) {
      table += static_cast<char>(0x80 | 13 << 3);
      table += static_cast<char>(0x7e | sign);
      table.append(8, '\x7f');
      table += '\x3f';
    }
    const int64_t line = line_of(12, table, 5, INT64_MAX);
    EXPECT_GE(line, 0);
    EXPECT_LE(line, INT32_MAX);
  }
}

}  // namespace
}  // namespace atys::capture::python

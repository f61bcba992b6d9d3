// SPDX-License-Identifier: Apache-2.0
#include "capture/python/objects.h"

#include <gtest/gtest.h>

#include "support/fake_python.h"

namespace atys::capture::python {
namespace {

using Build = test::FakePython::Build;

class EveryPython : public testing::TestWithParam<std::pair<uint32_t, Build>> {
 protected:
  std::optional<std::string> text(uint64_t at) { return read_text(python_.memory(), python_.layout(), at); }
  std::optional<std::string> bytes(uint64_t at) { return read_bytes(python_.memory(), python_.layout(), at); }

  test::FakePython python_{GetParam().first, GetParam().second};
};

INSTANTIATE_TEST_SUITE_P(
    objects, EveryPython,
    testing::Values(std::pair(8U, Build::Default), std::pair(9U, Build::Default), std::pair(10U, Build::Default),
                    std::pair(11U, Build::Default), std::pair(12U, Build::Default), std::pair(13U, Build::Default),
                    std::pair(14U, Build::Default), std::pair(15U, Build::Default), std::pair(13U, Build::FreeThreaded),
                    std::pair(14U, Build::FreeThreaded), std::pair(15U, Build::FreeThreaded)),
    [](const auto& test) {
      return "of_3_" + std::to_string(test.param.first) + (test.param.second == Build::FreeThreaded ? "_without_lock" : "");
    });

TEST_P(EveryPython, reads_strings_of_each_width) {
  EXPECT_EQ(text(python_.text("Service.handle.<locals>.step")), "Service.handle.<locals>.step");
  EXPECT_EQ(text(python_.text(U"gr\u00f6\u00dfe", 1, false)), "gr\u00f6\u00dfe");
  EXPECT_EQ(text(python_.text(U"\u0440\u0430\u0437\u043c\u0435\u0440 a", 2, false)),
            "\u0440\u0430\u0437\u043c\u0435\u0440 a");
  EXPECT_EQ(text(python_.text(U"a\u00e9\u20ac\U0001f40d", 4, false)), "a\u00e9\u20ac\U0001f40d");
  EXPECT_EQ(text(python_.text("")), "");
}

TEST_P(EveryPython, reads_bytes_with_zeroes_among_them) {
  using namespace std::string_literals;
  EXPECT_EQ(bytes(python_.bytes("a\0b\xff"s)), "a\0b\xff"s);
  EXPECT_EQ(bytes(python_.bytes("")), "");
}

TEST_P(EveryPython, says_nothing_of_a_string_whose_length_is_a_lie) {
  const uint64_t at = python_.text("name");
  python_.memory().put<int64_t>(at + python_.layout().text_length, -1);
  EXPECT_EQ(text(at), std::nullopt);
  for (const int64_t length : {int64_t{1000}, int64_t{1} << 40, INT64_MAX}) {
    python_.memory().put(at + python_.layout().text_length, length);
    EXPECT_EQ(text(at), std::nullopt) << length;
  }
}

TEST_P(EveryPython, says_nothing_of_bytes_whose_length_is_a_lie) {
  const uint64_t at = python_.bytes("table");
  for (const int64_t size : {int64_t{-1}, INT64_MIN, int64_t{1000}, int64_t{kLongestBytes} + 1, INT64_MAX}) {
    python_.memory().put(at + python_.layout().bytes_size, size);
    EXPECT_EQ(bytes(at), std::nullopt) << size;
  }
}

TEST_P(EveryPython, says_nothing_of_what_is_no_string) {
  const uint64_t at = python_.text("name");
  for (const uint32_t kind : {0U, 3U, 5U, 7U}) {
    python_.put_state(at, kind, true, false);
    EXPECT_EQ(text(at), std::nullopt) << kind;
  }
  python_.put_state(at, 1, false, true);
  EXPECT_EQ(text(at), std::nullopt);
  python_.put_state(at, 2, true, true);
  EXPECT_EQ(text(at), std::nullopt);
  python_.put_state(at, 1, true, true);
  EXPECT_EQ(text(at), "name");
}

TEST_P(EveryPython, says_nothing_where_there_is_no_memory) {
  for (const uint64_t nowhere : {uint64_t{0}, uint64_t{8}, uint64_t{0x7f0000000000}, ~uint64_t{0}}) {
    EXPECT_EQ(text(nowhere), std::nullopt);
    EXPECT_EQ(bytes(nowhere), std::nullopt);
  }
}

TEST(objects, a_long_string_is_cut) {
  test::FakePython python(12);
  const uint64_t at = python.text(std::string(3 * kLongestText, 'x'));
  EXPECT_EQ(read_text(python.memory(), python.layout(), at), std::string(kLongestText, 'x'));
}

TEST(objects, what_is_no_character_is_replaced) {
  test::FakePython python(11);
  const char32_t characters[] = {U'a', 0xd800, 0x110000, 0xffffffff, U'b', 0};
  EXPECT_EQ(read_text(python.memory(), python.layout(), python.text(characters, 4, false)), "a\ufffd\ufffd\ufffdb");
}

TEST(objects, what_claims_to_be_ascii_and_is_not_still_becomes_utf8) {
  test::FakePython python(11);
  const char32_t characters[] = {U'a', 0xe9, 0xff, 0};
  EXPECT_EQ(read_text(python.memory(), python.layout(), python.text(characters, 1, true)), "a\u00e9\u00ff");
}

}  // namespace
}  // namespace atys::capture::python

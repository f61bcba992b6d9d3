// SPDX-License-Identifier: Apache-2.0
#include "capture/python/code_objects.h"

#include <gtest/gtest.h>

#include "capture/python/objects.h"
#include "support/fake_python.h"

namespace atys::capture::python {
namespace {

using Build = test::FakePython::Build;
using test::FakePython;

constexpr uint64_t kSecond = 1'000'000'000;

struct Functions {
  explicit Functions(uint32_t minor, Build build = Build::Default) : python(minor, build) {}

  uint32_t frame(uint64_t code, int unit, uint64_t now_ns = kSecond) {
    return codes.frame(code, python.position(code, unit), now_ns);
  }

  FakePython python;
  CodeObjects codes{python.memory(), python.layout(), FakePython::kCodeType};
};

TEST(code_objects, say_function_file_and_lines_in_every_version) {
  for (uint32_t minor = kOldestMinor; minor <= kNewestMinor; ++minor) {
    Functions of(minor);
    const uint64_t code = of.python.code({.name = "App.run", .file = "/srv/app.py", .line = 40});
    const LanguageName name = of.codes.name(of.frame(code, 3));
    EXPECT_EQ(name.function, "App.run") << minor;
    EXPECT_EQ(name.file, "/srv/app.py");
    EXPECT_EQ(name.line, 43) << minor;
    EXPECT_EQ(name.start_line, 40);
    EXPECT_EQ(name.kind, "cpython");
    EXPECT_EQ(of.codes.name(of.frame(code, 0)).line, 40) << minor;
  }
}

TEST(code_objects, have_one_number_for_each_line) {
  Functions of(12);
  const uint64_t code = of.python.code({.name = "f"});
  const uint32_t frame = of.frame(code, 2);
  EXPECT_NE(frame, 0U);
  EXPECT_EQ(of.frame(code, 2), frame);
  EXPECT_NE(of.frame(code, 3), frame);
  EXPECT_EQ(of.codes.frame(code, of.python.position(code, 2) + 1, kSecond), frame) << "another position of the same line";
  EXPECT_NE(of.frame(of.python.code({.name = "g"}), 2), frame);
}

TEST(code_objects, a_frame_that_has_not_begun_is_on_the_first_line) {
  for (const uint32_t minor : {8U, 10U, 11U, 13U}) {
    Functions of(minor);
    const uint64_t code = of.python.code({.name = "f", .line = 5});
    EXPECT_EQ(of.codes.name(of.frame(code, -1)).line, 5) << minor;
  }
}

TEST(code_objects, are_not_read_twice_within_a_second) {
  Functions of(11);
  const uint64_t code = of.python.code({.name = "f"});
  const uint32_t frame = of.frame(code, 1);
  of.python.memory().reads = 0;
  EXPECT_EQ(of.frame(code, 1, kSecond + kSecond / 2), frame);
  EXPECT_EQ(of.python.memory().reads, 0U);
  EXPECT_EQ(of.frame(code, 1, 3 * kSecond), frame);
  EXPECT_EQ(of.python.memory().reads, 1U) << "only whether it is still the same";
}

TEST(code_objects, another_function_at_the_same_address_is_noticed_after_a_second) {
  for (uint32_t minor = kOldestMinor; minor <= kNewestMinor; ++minor) {
    Functions of(minor);
    const uint64_t code = of.python.code({.name = "old", .line = 10});
    const uint32_t old = of.frame(code, 1);
    of.python.fill(code, {.name = "new", .file = "/srv/other.py", .line = 70});
    const LanguageName name = of.codes.name(of.frame(code, 1, 3 * kSecond));
    EXPECT_EQ(name.function, "new") << minor;
    EXPECT_EQ(name.file, "/srv/other.py");
    EXPECT_EQ(name.line, 71);
    EXPECT_EQ(of.codes.name(old).function, "old") << "samples that were taken before keep their names";
  }
}

TEST(code_objects, one_that_has_lasted_is_looked_at_every_five_seconds) {
  Functions of(12);
  const uint64_t code = of.python.code({.name = "old"});
  for (uint64_t second = 1; second <= 60; ++second) of.frame(code, 1, second * kSecond);
  of.python.memory().reads = 0;
  for (uint64_t second = 61; second <= 90; ++second) of.frame(code, 1, second * kSecond);
  EXPECT_EQ(of.python.memory().reads, 6U);
  of.python.fill(code, {.name = "new"});
  EXPECT_EQ(of.codes.name(of.frame(code, 1, 96 * kSecond)).function, "new");
  of.python.fill(code, {.name = "newest"});
  EXPECT_EQ(of.codes.name(of.frame(code, 1, 98 * kSecond)).function, "newest")
      << "a new one is looked at after a second again";
}

TEST(code_objects, a_function_that_is_gone_keeps_its_name) {
  Functions of(12);
  const uint64_t code = of.python.code({.name = "f"});
  const uint32_t frame = of.frame(code, 1);
  of.python.memory().unmap(code);
  EXPECT_EQ(of.frame(code, 1, 5 * kSecond), frame);
}

TEST(code_objects, what_is_no_function_has_no_number) {
  Functions of(12);
  const uint64_t code = of.python.code({.name = "f"});
  EXPECT_EQ(of.frame(0, 0), 0U);
  EXPECT_EQ(of.frame(code + 4, 0), 0U) << "objects are aligned";
  EXPECT_EQ(of.frame(0x7f0000000000, 0), 0U);
  EXPECT_EQ(of.frame(of.python.bytes("x"), 0), 0U);
  of.python.memory().put<uint64_t>(code + of.python.layout().object_type, 0x1234);
  EXPECT_EQ(of.frame(code, 0), 0U);
  EXPECT_EQ(of.codes.name(0).function, "");
  EXPECT_EQ(of.codes.name(12345).function, "");
}

TEST(code_objects, any_object_may_be_a_function_where_their_type_is_not_known) {
  Functions of(12);
  const uint64_t code = of.python.code({.name = "f"});
  of.python.memory().put<uint64_t>(code + of.python.layout().object_type, 0x1234);
  CodeObjects codes(of.python.memory(), of.python.layout(), 0);
  EXPECT_EQ(codes.name(codes.frame(code, of.python.position(code, 0), kSecond)).function, "f");
}

TEST(code_objects, a_function_whose_name_cannot_be_read_is_none) {
  Functions of(11);
  const uint64_t code = of.python.code({.name = "f"});
  of.python.memory().put<uint64_t>(code + of.python.layout().code_name, 0x99);
  EXPECT_EQ(of.frame(code, 0), 0U);
}

TEST(code_objects, a_function_without_a_readable_table_is_on_its_first_line) {
  Functions of(11);
  const uint64_t code = of.python.code({.name = "f", .line = 8});
  of.python.memory().put<uint64_t>(code + of.python.layout().code_line_table, 0x99);
  EXPECT_EQ(of.codes.name(of.frame(code, 5)).line, 8);
}

TEST(code_objects, a_first_line_below_nought_is_none) {
  Functions of(11);
  const uint64_t code = of.python.code({.name = "f", .line = -5});
  const LanguageName name = of.codes.name(of.frame(code, 0));
  EXPECT_EQ(name.line, 0);
  EXPECT_EQ(name.start_line, 0);
}

TEST(code_objects, a_position_may_be_in_a_threads_own_copy_of_the_bytecode) {
  for (const uint32_t minor : {14U, 15U}) {
    Functions of(minor, Build::FreeThreaded);
    test::FakeMemory& memory = of.python.memory();
    const uint64_t code = of.python.code({.name = "f", .line = 10});
    const uint64_t copies = of.python.take(32);
    const uint64_t copy = of.python.take(64);
    memory.put(code + of.python.layout().code_thread_local, copies);
    memory.put<uint64_t>(copies, 3);
    memory.put(copies + 8, code + of.python.layout().code_bytecode);
    memory.put(copies + 24, copy);
    EXPECT_EQ(of.codes.name(of.codes.frame(code, copy + 6, kSecond)).line, 13) << minor;
    EXPECT_EQ(of.codes.name(of.frame(code, 2)).line, 12) << "and in the first, which is part of the function";
    memory.put<uint64_t>(copies, ~uint64_t{0});
    memory.reads = 0;
    EXPECT_EQ(of.codes.name(of.codes.frame(code, copy + (uint64_t{1} << 40), kSecond)).line, 10);
    EXPECT_LT(memory.reads, 2000U);
  }
}

TEST(code_objects, that_are_named_by_us_have_no_place) {
  Functions of(11);
  const uint32_t frame = of.codes.named("[garbage collection]");
  EXPECT_NE(frame, 0U);
  EXPECT_EQ(of.codes.name(frame).function, "[garbage collection]");
  EXPECT_EQ(of.codes.name(frame).file, "");
  EXPECT_EQ(of.codes.name(frame).line, 0);
}

// A process that makes up functions with the longest tables without end costs us no more than our limit.
TEST(code_objects, do_not_keep_more_than_the_limit) {
  Functions of(12);
  const std::string table(kLongestBytes, '\x80');
  const uint64_t lines = of.python.bytes(table);
  size_t known = 0;
  for (int i = 0; i < 300; ++i) {
    const uint64_t code = of.python.code({.name = "f"});
    of.python.memory().put(code + of.python.layout().code_line_table, lines);
    known += of.frame(code, 0) != 0 ? 1 : 0;
  }
  EXPECT_LE(known * kLongestBytes, CodeObjects::kMostBytes);
  EXPECT_GE(known * kLongestBytes, CodeObjects::kMostBytes - 2 * kLongestBytes);
}

}  // namespace
}  // namespace atys::capture::python

// SPDX-License-Identifier: Apache-2.0
#include "capture/python/code_objects.h"

#include <gtest/gtest.h>

#include "capture/python/interpreter.h"
#include "capture/python/objects.h"
#include "capture/walking/code_cookie.h"
#include "support/fake_python.h"

namespace atys::capture::python {
namespace {

using Build = test::FakePython::Build;
using test::FakePython;

struct Functions {
  explicit Functions(uint32_t minor, Build build = Build::Default) : python(minor, build) {}

  // As the sampler would hand it over at this moment.
  atys_walked walked_at(uint64_t code, uint64_t position) {
    return {code, position, read_cookie(python.memory(), cookie, code)};
  }
  atys_walked walked(uint64_t code, int unit) { return walked_at(code, python.position(code, unit)); }
  uint32_t frame(uint64_t code, int unit) { return codes.frame(walked(code, unit)); }

  FakePython python;
  atys_cookie cookie = cookie_of(python.layout());
  CodeObjects codes{python.memory(), python.layout(), cookie, FakePython::kCodeType};
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
  EXPECT_EQ(of.codes.frame(of.walked_at(code, of.python.position(code, 2) + 1)), frame)
      << "another position of the same line";
  EXPECT_NE(of.frame(of.python.code({.name = "g"}), 2), frame);
}

TEST(code_objects, a_frame_that_has_not_begun_is_on_the_first_line) {
  for (const uint32_t minor : {8U, 10U, 11U, 13U}) {
    Functions of(minor);
    const uint64_t code = of.python.code({.name = "f", .line = 5});
    EXPECT_EQ(of.codes.name(of.frame(code, -1)).line, 5) << minor;
  }
}

TEST(code_objects, are_read_once) {
  Functions of(11);
  const uint64_t code = of.python.code({.name = "f"});
  const atys_walked walked = of.walked(code, 1);
  const uint32_t frame = of.codes.frame(walked);
  of.python.memory().reads = 0;
  EXPECT_EQ(of.codes.frame(walked), frame);
  EXPECT_EQ(of.python.memory().reads, 0U);
}

TEST(code_objects, another_function_at_the_same_address_is_another_at_once) {
  for (uint32_t minor = kOldestMinor; minor <= kNewestMinor; ++minor) {
    Functions of(minor);
    const uint64_t code = of.python.code({.name = "old", .line = 10});
    const atys_walked before = of.walked(code, 1);
    const uint32_t old = of.codes.frame(before);
    of.python.fill(code, {.name = "new", .file = "/srv/other.py", .line = 70});
    const LanguageName name = of.codes.name(of.frame(code, 1));
    EXPECT_EQ(name.function, "new") << minor;
    EXPECT_EQ(name.file, "/srv/other.py");
    EXPECT_EQ(name.line, 71);
    EXPECT_EQ(of.codes.frame(before), old) << "a sample that was taken before is of what was there then";
    EXPECT_EQ(of.codes.name(old).function, "old");
  }
}

// The sampler came by before, the reader comes late.
TEST(code_objects, a_function_that_was_replaced_before_it_was_looked_at_has_no_name_rather_than_anothers) {
  for (uint32_t minor = kOldestMinor; minor <= kNewestMinor; ++minor) {
    Functions of(minor);
    const uint64_t code = of.python.code({.name = "old", .line = 10});
    const atys_walked before = of.walked(code, 1);
    of.python.fill(code, {.name = "new", .line = 10});
    EXPECT_EQ(of.codes.frame(before), 0U) << minor;
  }
}

// A program that makes and frees functions in turn gets the same memory for each, down to their names.
TEST(code_objects, a_name_or_file_that_changed_where_it_lies_is_another_functions) {
  for (uint32_t minor = kOldestMinor; minor < 12; ++minor)
    for (const uint32_t field : {FakePython(minor).layout().code_name, FakePython(minor).layout().code_filename}) {
      Functions of(minor);
      const uint64_t code = of.python.code({.name = "turn_1", .file = "/m1.py"});
      const atys_walked before = of.walked(code, 1);
      const auto text = of.python.memory().value_at<uint64_t>(code + field);
      of.python.memory().put<char>(*text + of.python.layout().text_ascii_data + 3, '2');
      EXPECT_EQ(of.codes.frame(before), 0U) << minor;
      EXPECT_NE(of.frame(code, 1), 0U);
    }
}

TEST(code_objects, a_function_that_goes_while_it_is_read_has_no_name) {
  for (const uint32_t minor : {9U, 11U, 12U, 14U}) {
    Functions of(minor);
    const uint64_t code = of.python.code({.name = "old", .line = 10});
    const atys_walked before = of.walked(code, 1);
    const auto table = of.python.memory().value_at<uint64_t>(code + of.python.layout().code_line_table);
    of.python.memory().after_read = [&](uint64_t address) {
      if (address >= *table && address < *table + 64) of.python.fill(code, {.name = "new", .line = 10});
    };
    EXPECT_EQ(of.codes.frame(before), 0U) << minor;
  }
}

TEST(code_objects, without_a_cookie_nothing_is_believed) {
  Functions of(12);
  const uint64_t code = of.python.code({.name = "f"});
  EXPECT_EQ(of.codes.frame({code, of.python.position(code, 1), 0}), 0U);
}

TEST(code_objects, a_function_that_is_gone_keeps_its_name) {
  Functions of(12);
  const uint64_t code = of.python.code({.name = "f"});
  const atys_walked walked = of.walked(code, 1);
  const uint32_t frame = of.codes.frame(walked);
  of.python.memory().unmap(code);
  EXPECT_EQ(of.codes.frame(walked), frame);
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
  CodeObjects codes(of.python.memory(), of.python.layout(), of.cookie, 0);
  EXPECT_EQ(codes.name(codes.frame(of.walked(code, 0))).function, "f");
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
    EXPECT_EQ(of.codes.name(of.codes.frame(of.walked_at(code, copy + 6))).line, 13) << minor;
    EXPECT_EQ(of.codes.name(of.frame(code, 2)).line, 12) << "and in the first, which is part of the function";
    memory.put<uint64_t>(copies, ~uint64_t{0});
    memory.reads = 0;
    EXPECT_EQ(of.codes.name(of.codes.frame(of.walked_at(code, copy + (uint64_t{1} << 40)))).line, 10);
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

// SPDX-License-Identifier: Apache-2.0
#include "capture/python/python_reader.h"

#include <gtest/gtest.h>

#include "capture/walking/code_cookie.h"
#include "support/fake_python.h"
#include "support/python_image.h"

namespace atys::capture::python {
namespace {

using test::FakePython;

constexpr pid_t kNobody = -1;

struct Reading {
  explicit Reading(uint32_t minor) : python(minor) {
    python.interpreter().landmarks.emplace_back(AddressRange{0x1000, 0x2000}, "[garbage collection]");
    reader = std::make_unique<PythonReader>(kNobody, std::make_unique<test::BorrowedMemory>(python.memory()),
                                            python.interpreter());
  }

  atys_walked walked(uint64_t code, int unit, uint8_t marker = 0) {
    return {.code = code | uint64_t{marker} << 48,
            .position = python.position(code, unit),
            .cookie = read_cookie(python.memory(), reader->walker().cookie, code)};
  }
  // "f:12* g:13": `*` is an entry. "torn" where it is.
  std::string read(const std::vector<atys_walked>& walk) {
    std::vector<LanguageFrame> frames;
    if (!reader->read(walk, frames)) return frames.empty() ? "torn" : "torn, but not empty";
    std::string text;
    for (const LanguageFrame& frame : frames) {
      const LanguageName name = reader->name(frame.id);
      text += (text.empty() ? "" : " ") + name.function + ":" + std::to_string(name.line) + (frame.is_entry ? "*" : "");
    }
    return text;
  }

  FakePython python;
  std::unique_ptr<PythonReader> reader;
};

constexpr uint8_t kShim = 3;

TEST(python_reader, takes_every_frame_for_an_entry_up_to_3_10) {
  for (const uint32_t minor : {8U, 9U, 10U}) {
    Reading of(minor);
    const uint64_t f = of.python.code({.name = "f"});
    const uint64_t g = of.python.code({.name = "g"});
    EXPECT_EQ(of.read({of.walked(f, 1), of.walked(g, 2)}), "f:11* g:12*") << minor;
  }
}

TEST(python_reader, sees_the_flag_of_an_entry_in_3_11) {
  Reading of(11);
  const uint64_t f = of.python.code({.name = "f"});
  EXPECT_EQ(of.read({of.walked(f, 1), of.walked(f, 2, 1), of.walked(f, 3), of.walked(f, 4, 1)}), "f:11 f:12* f:13 f:14*");
}

TEST(python_reader, takes_what_lies_before_a_frame_without_code_for_an_entry_since_3_12) {
  for (const uint32_t minor : {12U, 13U, 14U, 15U}) {
    Reading of(minor);
    const uint64_t f = of.python.code({.name = "f"});
    const uint64_t none = of.python.take(64);
    EXPECT_EQ(of.read({of.walked(f, 1), of.walked(f, 2), of.walked(none, 0, kShim), of.walked(f, 3, 1),
                       of.walked(none, 0, kShim + 1)}),
              "f:11 f:12* f:13*")
        << minor;
    EXPECT_EQ(of.read({of.walked(none, 0, kShim), of.walked(f, 1), of.walked(none, 0, kShim)}), "f:11*") << minor;
  }
}

TEST(python_reader, looks_past_the_bits_that_say_how_a_pointer_is_counted) {
  Reading of(14);
  const uint64_t f = of.python.code({.name = "f"});
  atys_walked walked = of.walked(f, 1);
  walked.code |= 1;
  EXPECT_EQ(of.read({walked}), "f:11");
}

TEST(python_reader, names_what_was_gone_as_long_as_something_is_known) {
  Reading of(12);
  const uint64_t f = of.python.code({.name = "f"});
  EXPECT_EQ(of.read({of.walked(0x990000, 0), of.walked(f, 1)}), "[code that was gone]:0 f:11");
}

TEST(python_reader, takes_a_walk_in_which_nothing_is_a_function_for_torn) {
  Reading of(12);
  EXPECT_EQ(of.read({of.walked(0x990000, 0), of.walked(0x990100, 1), of.walked(0, 0, kShim)}), "torn");
  EXPECT_EQ(of.read({of.walked(0, 0)}), "torn");
}

TEST(python_reader, a_thread_that_only_has_a_frame_without_code_runs_nothing) {
  Reading of(12);
  EXPECT_EQ(of.read({of.walked(of.python.take(64), 0, kShim)}), "");
  EXPECT_EQ(of.read({}), "");
}

TEST(python_reader, leaves_what_is_there_already) {
  Reading of(12);
  std::vector<LanguageFrame> frames{{77, true}};
  EXPECT_FALSE(of.reader->read(std::vector<atys_walked>{of.walked(0x990000, 0)}, frames));
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0].id, 77U);
  const atys_walked shim = of.walked(of.python.take(64), 0, kShim);
  frames[0].is_entry = false;
  EXPECT_TRUE(of.reader->read(std::vector<atys_walked>{shim}, frames));
  EXPECT_FALSE(frames[0].is_entry);
}

TEST(python_reader, names_landmarks) {
  Reading of(12);
  ASSERT_EQ(of.reader->code().landmarks.size(), 1U);
  EXPECT_EQ(of.reader->name(of.reader->code().landmarks[0].id).function, "[garbage collection]");
}

TEST(python_reader, walks_the_first_thread_alone_where_threads_cannot_be_told_apart) {
  Reading of(10);
  EXPECT_EQ(of.reader->walker().identity, uint32_t{ATYS_MAIN_THREAD});
  EXPECT_TRUE(of.reader->thread_states().empty());
  EXPECT_EQ(Reading(11).reader->walker().identity, uint32_t{ATYS_NATIVE_THREAD});
}

}  // namespace
}  // namespace atys::capture::python

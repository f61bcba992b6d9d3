// SPDX-License-Identifier: Apache-2.0
#include "capture/python/lasting_code.h"

#include <gtest/gtest.h>

#include "capture/python/interpreter.h"
#include "support/fake_python.h"

namespace atys::capture::python {
namespace {

constexpr uint64_t kMoment = 100'000'000;

struct Looking {
  atys_walked walked() { return {code, 0, read_cookie(python.memory(), cookie, code)}; }
  // So often in a second.
  void see(int times, bool may_last = true) {
    for (int i = 0; i < times; ++i) lasting.see(python.memory(), cookie, walked(), may_last, now_ns += kMoment);
  }

  test::FakePython python{11};
  atys_cookie cookie = cookie_of(python.layout());
  uint64_t code = python.code({.name = "f", .file = "/a.py"});
  LastingCode lasting;
  uint64_t now_ns = 0;
};

TEST(lasting_code, is_what_was_seen_often_and_for_a_while) {
  Looking at;
  at.see(LastingCode::kSeenOften);
  EXPECT_TRUE(at.lasting.take().empty());
  at.see(1);
  const auto found = at.lasting.take();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].code, at.code);
  EXPECT_EQ(found[0].cookie, at.walked().cookie);
  EXPECT_TRUE(at.lasting.take().empty());
}

TEST(lasting_code, is_told_again_now_and_then) {
  Looking at;
  at.see(LastingCode::kSeenOften + 1);
  at.lasting.take();
  at.see(LastingCode::kAgainNs / kMoment + 1);
  EXPECT_EQ(at.lasting.take().size(), 1U);
}

TEST(lasting_code, is_nothing_that_has_ever_changed) {
  Looking at;
  at.see(2);
  at.python.fill(at.code, {.name = "g", .file = "/a.py"});
  at.see(200);
  EXPECT_TRUE(at.lasting.take().empty());
}

TEST(lasting_code, is_no_code_of_modules_and_none_that_is_gone) {
  Looking at;
  at.see(200, false);
  EXPECT_TRUE(at.lasting.take().empty());
  Looking gone;
  gone.see(LastingCode::kSeenOften);
  const atys_walked before = gone.walked();
  gone.python.fill(gone.code, {.name = "g"});
  gone.lasting.see(gone.python.memory(), gone.cookie, before, true, gone.now_ns + kMoment);
  EXPECT_TRUE(gone.lasting.take().empty());
}

}  // namespace
}  // namespace atys::capture::python

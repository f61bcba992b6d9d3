// SPDX-License-Identifier: Apache-2.0
#include "base/breather.h"

#include <gtest/gtest.h>

#include <thread>

namespace atys {

TEST(breather, is_for_one_thread_and_as_long_as_it_lives) {
  breathe();  // nobody has asked for it
  int rests = 0;
  {
    const Breather breather([&] { ++rests; });
    breathe();
    std::thread([] { breathe(); }).join();
    EXPECT_EQ(rests, 1);
    {
      const Breather inner([] {});
      breathe();
    }
    breathe();
    EXPECT_EQ(rests, 2);
  }
  breathe();
  EXPECT_EQ(rests, 2);
}

TEST(breather, small_things_are_not_asked_about_one_by_one) {
  int rests = 0;
  const Breather breather([&] { ++rests; });
  BreathingLoop loop;
  for (int i = 0; i < 10'000; ++i) loop.next();
  EXPECT_GT(rests, 10);
  EXPECT_LT(rests, 1000);
}

}  // namespace atys

// SPDX-License-Identifier: Apache-2.0
#include "symbolize/line_cache.h"

#include <gtest/gtest.h>

namespace atys::symbolize {
namespace {

LineCache two_places() {
  LineCache cache;
  cache.add(0x1000, {{"inner()", "_Z5innerv", "a.cpp", 12, 10}, {"outer()", "_Z5outerv", "b.cpp", 7, 1}});
  cache.add(0x2000, {{"main", "main", "c.cpp", 3, 2}});
  return cache;
}

TEST(line_cache, is_the_same_after_saving_and_loading) {
  const LineCache cache = two_places();
  EXPECT_TRUE(cache.has_news());
  LineCache loaded;
  loaded.load(cache.save());
  EXPECT_FALSE(loaded.has_news());
  ASSERT_NE(loaded.find(0x1000), nullptr);
  EXPECT_EQ(loaded.find(0x1000)->size(), 2u);
  EXPECT_EQ((*loaded.find(0x1000))[1].function, "outer()");
  EXPECT_EQ((*loaded.find(0x2000))[0].line, 3);
  EXPECT_EQ(loaded.find(0x3000), nullptr);
}

TEST(line_cache, survives_damage) {
  const Bytes saved = two_places().save();
  for (size_t size = 0; size < saved.size(); ++size) {
    LineCache loaded;
    loaded.load(std::span(saved).first(size));
    EXPECT_LT(loaded.size(), 2u);
  }
  for (size_t i = 0; i < saved.size(); ++i) {
    Bytes changed = saved;
    changed[i] ^= std::byte{0xff};
    LineCache loaded;
    loaded.load(changed);
    EXPECT_LE(loaded.size(), 3u);
  }
}

}  // namespace
}  // namespace atys::symbolize

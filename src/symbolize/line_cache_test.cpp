// SPDX-License-Identifier: Apache-2.0
#include "symbolize/line_cache.h"

#include <gtest/gtest.h>

namespace atys::symbolize {
namespace {

LineCache two_ranges() {
  LineCache cache;
  cache.add({0x1000, 0x1010, {{"inner()", "_Z5innerv", "a.cpp", 12, 10}, {"outer()", "_Z5outerv", "b.cpp", 7, 1}}});
  cache.add({0x2000, 0x2004, {{"main", "main", "c.cpp", 3, 2}}});
  return cache;
}

LineCache loaded_from(const Bytes& bytes) {
  LineCache cache;
  const auto keeper = std::make_shared<const Bytes>(bytes);
  cache.load(*keeper, keeper);
  return cache;
}

TEST(line_cache, is_the_same_after_saving_and_loading) {
  const LineCache cache = two_ranges();
  EXPECT_TRUE(cache.has_news());
  const LineCache loaded = loaded_from(cache.save());
  EXPECT_FALSE(loaded.has_news());
  for (const LineCache* one : {&cache, &loaded}) {
    for (const uint64_t address : {0x1000, 0x1001, 0x100f}) {
      const auto frames = one->find(address);
      ASSERT_TRUE(frames.has_value()) << address;
      ASSERT_EQ(frames->size(), 2u);
      EXPECT_EQ((*frames)[1].function, "outer()");
      EXPECT_EQ((*frames)[1].system_name, "_Z5outerv");
      EXPECT_EQ((*frames)[0].start_line, 10);
    }
    EXPECT_EQ(one->find(0x2003)->front().line, 3);
    for (const uint64_t address : {0x0, 0xfff, 0x1010, 0x1fff, 0x2004}) EXPECT_FALSE(one->find(address)) << address;
  }
}

TEST(line_cache, adds_to_what_was_saved) {
  LineCache more = loaded_from(two_ranges().save());
  more.add({0x1800, 0x1801, {{"other", "other", "a.cpp", 1, 1}}});
  more.add({0x1900, 0x1902, {}});
  const LineCache loaded = loaded_from(more.save());
  EXPECT_EQ(loaded.size(), 4u);
  EXPECT_EQ(loaded.find(0x1800)->front().function, "other");
  EXPECT_EQ(loaded.find(0x1008)->front().function, "inner()");
  EXPECT_EQ(loaded.find(0x2000)->front().file, "c.cpp");
  ASSERT_TRUE(loaded.find(0x1901).has_value()) << "known to have no name";
  EXPECT_TRUE(loaded.find(0x1901)->empty());
}

TEST(line_cache, stays_small_by_forgetting_what_is_old) {
  LineCache cache;
  const std::string long_name(1000, 'f');
  for (uint64_t round = 0; round < 4; ++round) {
    for (uint64_t i = 0; i < 2000; ++i) {
      const uint64_t start = (round * 2000 + i) * 16;
      cache.add({start, start + 16, {{long_name + std::to_string(start), "", "", 1, 1}}});
    }
    const Bytes saved = cache.save();
    EXPECT_LE(saved.size(), size_t{4} << 20);
    cache = loaded_from(saved);
    EXPECT_TRUE(cache.find(round * 2000 * 16).has_value()) << "what is new is kept";
  }
  EXPECT_FALSE(cache.find(0).has_value());
}

TEST(line_cache, does_not_keep_what_has_no_room_in_its_form) {
  LineCache cache;
  cache.add({0x1000, 0x1000, {{"empty", "", "", 1, 1}}});
  cache.add({0x1000, 0x1001, {{std::string("a\0b", 3), "", "", 1, 1}}});
  cache.add({0x1000, 0x1001, {{"a", "", "", int64_t{1} << 40, 1}}});
  cache.add({0x1000, 0x1001, std::vector<SourceFrame>(5000)});
  EXPECT_FALSE(cache.has_news());
}

TEST(line_cache, refuses_what_is_damaged) {
  const Bytes saved = two_ranges().save();
  for (size_t size = 0; size < saved.size(); ++size)
    EXPECT_EQ(loaded_from(Bytes(saved.begin(), saved.begin() + static_cast<ptrdiff_t>(size))).size(), 0u);
  for (size_t i = 0; i < saved.size(); ++i) {
    Bytes changed = saved;
    changed[i] ^= std::byte{0xff};
    LineCache loaded = loaded_from(changed);
    for (const uint64_t address : {0x1000, 0x2000}) (void)loaded.find(address);
    loaded.add({0x3000, 0x3001, {{"new", "new", "d.cpp", 1, 1}}});
    EXPECT_EQ(loaded_from(loaded.save()).find(0x3000)->front().function, "new");
  }
}

}  // namespace
}  // namespace atys::symbolize

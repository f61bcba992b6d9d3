// SPDX-License-Identifier: Apache-2.0
#include "store/stretch.h"

#include <gtest/gtest.h>

namespace atys::store {

TEST(stretch, its_text_is_read_back) {
  for (const Stretch& stretch :
       {Stretch{.stream = "00ff1122/shop", .number = 8, .rate = 330}, Stretch{.stream = "/", .number = 3, .rate = -1},
        Stretch{.stream = "a/b/c", .number = UINT64_MAX, .began_ns = 1'700'000'000'123'000'000}})
    EXPECT_EQ(parse_stretch(to_text(stretch)), stretch) << to_text(stretch);
  EXPECT_EQ(to_text({.stream = "00ff/shop", .number = 7, .began_ns = 1'700'000'000'123'000'000, .rate = 330}),
            "00ff/shop/7-1700000000123@330");
  EXPECT_EQ(to_text({}), "");
}

TEST(stretch, what_makes_no_sense_is_none) {
  for (const char* text : {"", "-", "7", "a/7", "a/@1", "a/7@", "a/7@x", "/7@1", "a/7-@1", "a/7-0@1", "a/7-x@1", "a/7x@1",
                           "a/7-99999999999999999@1", "a/99999999999999999999@1"})
    EXPECT_FALSE(parse_stretch(text)) << text;
}

}  // namespace atys::store

// SPDX-License-Identifier: Apache-2.0
#include "fleet/controller/kept_messages.h"

#include <gtest/gtest.h>

#include "fleet/wire/dcz.h"

namespace atys::fleet {

namespace {

std::string noise(uint32_t seed) {
  std::string bytes;
  for (uint32_t state = seed; bytes.size() < 10'000;)
    bytes += static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  return bytes;
}

}  // namespace

TEST(kept_messages, are_found_by_their_hash_until_another_follows_on_them) {
  KeptMessages kept(1 << 20);
  kept.put("first", {});
  EXPECT_EQ(*kept.find(sha256("first")), "first");
  kept.put("second", sha256("first"));
  EXPECT_FALSE(kept.find(sha256("first")));
  EXPECT_EQ(*kept.find(sha256("second")), "second");
  EXPECT_EQ(kept.state().missed, 1u);
  EXPECT_EQ(kept.state().messages, 1u);
  kept.put("second", sha256("second"));  // sent again: its answer was lost
  EXPECT_EQ(*kept.find(sha256("second")), "second");
}

TEST(kept_messages, are_bounded_and_the_one_used_last_stays) {
  KeptMessages kept(50'000);
  kept.put(noise(1), {});
  for (uint32_t seed = 2; seed < 20; ++seed) {
    EXPECT_TRUE(kept.find(sha256(noise(1))));
    kept.put(noise(seed), {});
    EXPECT_LE(kept.state().bytes, 50'000u);
  }
  EXPECT_FALSE(kept.find(sha256(noise(2))));
  EXPECT_TRUE(kept.find(sha256(noise(19))));
}

TEST(kept_messages, without_room_there_are_none) {
  KeptMessages kept(0);
  kept.put("message", {});
  EXPECT_FALSE(kept.find(sha256("message")));
  EXPECT_EQ(kept.state().bytes, 0u);
}

}  // namespace atys::fleet

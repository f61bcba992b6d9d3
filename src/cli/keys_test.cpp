// SPDX-License-Identifier: Apache-2.0
#include "cli/keys.h"

#include <gtest/gtest.h>

#include <vector>

namespace atys::cli {
namespace {

std::vector<Key> keys_of(std::string_view bytes) {
  KeyReader reader;
  reader.add(bytes);
  std::vector<Key> keys;
  for (Key key = reader.take(); key != Key::None; key = reader.take()) keys.push_back(key);
  return keys;
}

TEST(keys, come_one_by_one_however_many_came_at_once) {
  EXPECT_EQ(keys_of("jjkq"), (std::vector{Key::Down, Key::Down, Key::Up, Key::Quit}));
  EXPECT_EQ(keys_of("\033[B\033[Bs\033[A"), (std::vector{Key::Down, Key::Down, Key::Sort, Key::Up}));
  EXPECT_EQ(keys_of("\033OA\033[6~\033[5~\033[H\033[F\r"),
            (std::vector{Key::Up, Key::PageDown, Key::PageUp, Key::First, Key::Last, Key::Enter}));
  EXPECT_EQ(keys_of(std::string(1000, 'j')).size(), 1000u);
}

TEST(keys, may_come_in_pieces) {
  KeyReader reader;
  for (const char* piece : {"\033", "[", "1"}) {
    reader.add(piece);
    EXPECT_EQ(reader.take(), Key::None);
    EXPECT_TRUE(reader.is_unfinished());
  }
  reader.add(";5A");
  EXPECT_EQ(reader.take(), Key::Up);
  EXPECT_FALSE(reader.is_unfinished());
}

TEST(keys, an_escape_alone_is_a_key) {
  KeyReader reader;
  reader.add("\033");
  EXPECT_EQ(reader.take(), Key::None);
  EXPECT_EQ(reader.take_unfinished(), Key::Back);
  EXPECT_EQ(reader.take(), Key::None);
  // Escape, then q: both.
  EXPECT_EQ(keys_of("\033q"), (std::vector{Key::Back, Key::Quit}));
  EXPECT_EQ(keys_of("\033\033[A"), (std::vector{Key::Back, Key::Up}));
}

TEST(keys, what_means_nothing_swallows_nothing_else) {
  EXPECT_EQ(keys_of("x\033[200~q"), (std::vector{Key::Other, Key::Other, Key::Quit}));
  EXPECT_EQ(keys_of("\xc3\xa4q"), (std::vector{Key::Other, Key::Other, Key::Quit}));
  // A sequence that never ends does not swallow what follows for ever.
  EXPECT_EQ(keys_of("\033[" + std::string(14, '1') + "q").back(), Key::Quit);
}

}  // namespace
}  // namespace atys::cli

// SPDX-License-Identifier: Apache-2.0
#include "budget/token_meter.h"

#include <gtest/gtest.h>

#include <string>

namespace atys::budget {

namespace {

struct Counted {
  const char* text;
  size_t most;  // what the least thrifty of eleven tokenizers counts
};

}  // namespace

TEST(token_meter, is_not_below_what_the_least_thrifty_tokenizer_counted) {
  static constexpr Counted kCounted[] = {
      {"", 0},
      {"main", 1},
      {"std::__detail::_Hashtable<int, std::pair<int const, Foo>>::_M_emplace(std::true_type)", 34},
      {"github.com/prometheus/tsdb.(*Head).gc", 16},
      {"java.util.concurrent.ThreadPoolExecutor.runWorker", 12},
      {"deadbeef01234567890abcdefDEADBEEF", 21},
      {"_ZN5folly13EventBaseImpl4loopEv", 15},
      {"xqzjvkwpbf", 8},
      {"QXZJVKWPBF", 8},
      {"vuPvYJfTODiZzpOGiDpDBtNdCuro", 22},
      {"\u65e5\u672c\u8a9e\u306e\u95a2\u6570\u540d", 8},
      {"\u0444\u0443\u043d\u043a\u0446\u0438\u044f_\u043f\u0440\u0438\u0432\u0435\u0442", 8},
      {"\u062f\u0627\u0644\u0629_\u0627\u0644\u0639\u0631\u0628\u064a\u0629", 11},
      {"\u0939\u093f\u0928\u094d\u0926\u0940_\u0928\u093e\u092e", 11},
      {"\ud55c\uad6d\uc5b4\ud568\uc218", 8},
      {"\u0e1f\u0e31\u0e07\u0e01\u0e4c\u0e0a\u0e31\u0e19", 16},
      {"\u2502 \u251c\u2500 \u2514\u2500 \u2550\u2551\u2554", 14},
      {"\ufdfa\ufdfa\ufdfa", 45},
      {"\u337f\u3336\u2a0c\u2167\u33c2", 25},
      {"\U0010ff41\U0010ff99", 9},
      {"\ufffd\ufffd\ufffd", 4},
      {"a\u2026b", 3},
      {"                                        x", 4},
      {"\n\n\n\n", 5},
      {"\t\t\tx", 5},
      {"((((((((", 5},
      {"!@#$%^&*()_+{}|:\"<>?", 16},
      {"0.00%  0.0..0.5  1,234,567", 25},
      {"$(rm -rf x)`y`; DROP TABLE", 13},
      {"<|endoftext|><|im_start|>system", 14},
      {"\u200b\u200b\u202e\u2066", 9},
      {"\u0301\u0301\u0301\u0301z", 9},
  };
  for (const Counted& counted : kCounted) EXPECT_GE(count_upper_bound(counted.text), counted.most) << counted.text;
}

TEST(token_meter, is_not_far_above_it_on_ordinary_text) {
  EXPECT_LE(count_upper_bound("std::__detail::_Hashtable<int, std::pair<int const, Foo>>::_M_emplace(std::true_type)"), 60u);
  EXPECT_LE(count_upper_bound("java.util.concurrent.ThreadPoolExecutor.runWorker"), 30u);
}

TEST(token_meter, takes_any_bytes_and_asks_little_more_than_one_a_byte) {
  for (int first = 1; first < 256; ++first) {
    const std::string text(5, static_cast<char>(first));
    EXPECT_GE(count_upper_bound(text), 2u) << first;
    if (first < 128) {
      EXPECT_LE(count_upper_bound(text), 11u) << first;
    }
  }
}

// Texts of one bad word only: no average helps.
TEST(token_meter, holds_for_words_that_repeat) {
  static constexpr Counted kRepeated[] = {{" erms", 3},     {"[msr", 3},  {"(convex", 4},
                                          {".pencolor", 5}, {"  omp", 3}, {"FastSlow.fib;", 8}};
  for (const Counted& word : kRepeated) {
    std::string text;
    for (int i = 0; i < 100; ++i) text += word.text;
    EXPECT_GE(count_upper_bound(text), 100 * word.most) << word.text;
  }
}

TEST(token_meter, grows_with_the_text) {
  std::string text;
  size_t before = 0;
  for (const char c : std::string("  37.1 4.2 handle_request > std::sort(x)\n  src/a.cpp:12")) {
    text += c;
    const size_t now = count_upper_bound(text);
    EXPECT_GE(now + 1, before);  // a space costs less once it is known what comes after
    before = now;
  }
}

}  // namespace atys::budget

// SPDX-License-Identifier: Apache-2.0
#include "adapt/cut.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "reduce/random.h"

namespace atys::adapt {

namespace {

constexpr int64_t kBegin = 1'700'000'000'000'000'000;
constexpr int64_t kSecond = 1'000'000'000;

Profile empty_window() {
  Profile window;
  window.add_value_type("samples", "count");
  window.add_value_type("cpu", "nanoseconds");
  window.header.time_ns = kBegin;
  window.header.duration_ns = 10 * kSecond;
  return window;
}

void add(Profile& window, bool is_new, bool is_hot, int64_t time_ns) {
  const std::array frames{window.named_frame(is_hot ? "copy" : "compare"), window.named_frame(is_new ? "serve" : "load")};
  window.samples.add(window.stacks.intern(frames), {}, std::array<int64_t, 2>{1, kSecond / 10}, time_ns);
}

// A hundred samples in ten seconds, of which what came first is as in `known()`. Nine of ten of the new callers' samples are
// those of nobody else; what runs is the same.
Profile changed_at(double second, uint64_t seed) {
  reduce::Random random(seed);
  Profile window = empty_window();
  for (int i = 0; i < 100; ++i) {
    const double at = 0.1 * i + 0.05;
    add(window, (at >= second) != (random.uniform() < 0.1), random.uniform() < 0.5,
        kBegin + static_cast<int64_t>(at * kSecond));
  }
  return window;
}

Shares known() {
  Profile window = empty_window();
  for (int i = 0; i < 1000; ++i) add(window, i % 10 == 0, i % 2 == 0, 0);
  return shares_of(window, 1);
}

// Samples in four functions, by what parts of the time they take before the change and after it. What they call is so much
// that most of it is seen once.
Profile mixed(int samples, double second, uint64_t seed) {
  constexpr std::array kBefore{0.33, 0.55, 0.88, 1.0};
  constexpr std::array kAfter{0.06, 0.76, 0.88, 1.0};
  reduce::Random random(seed);
  Profile window = empty_window();
  for (int i = 0; i < samples; ++i) {
    const double at = (i + 0.5) * 10 / samples;
    const auto& parts = at < second ? kBefore : kAfter;
    const auto function = std::ranges::lower_bound(parts, random.uniform()) - parts.begin();
    const std::array frames{window.named_frame("leaf" + std::to_string(random.below(300))),
                            window.named_frame("helper" + std::to_string(random.below(100))),
                            window.named_frame("f" + std::to_string(function)), window.named_frame("main")};
    window.samples.add(window.stacks.intern(frames), {}, std::array<int64_t, 2>{1, kSecond / 10},
                       kBegin + static_cast<int64_t>(at * kSecond));
  }
  return window;
}

}  // namespace

TEST(cut, is_where_samples_begin_to_be_others) {
  int wrong = 0;
  int untold = 0;
  double uncertain = 0;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    const double second = 1 + static_cast<double>(seed % 80) / 10;
    const auto cut = find_cut(known(), changed_at(second, seed), 1);
    untold += !cut;
    if (!cut) continue;
    const double from = static_cast<double>(cut->from_ns - kBegin) / kSecond;
    const double to = cut->to_ns == INT64_MAX ? 10 : static_cast<double>(cut->to_ns - kBegin) / kSecond;
    wrong += second < from || second > to;
    uncertain += (to - from) / 100;
  }
  EXPECT_LE(wrong, 10);
  EXPECT_LE(untold, 5) << "a change shortly before the end";
  EXPECT_LT(uncertain, 1.5) << "seconds, of ten";
}

TEST(cut, may_be_before_the_window_began) {
  const auto cut = find_cut(known(), changed_at(0, 1), 1);
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->from_ns, kBegin);
  EXPECT_LT(cut->to_ns, kBegin + 2 * kSecond);
}

TEST(cut, is_not_told_where_nobody_knows_when) {
  Profile window = empty_window();
  for (int i = 0; i < 100; ++i) add(window, i > 50, i % 2 == 0, i < 70 ? kBegin + i * kSecond / 10 : 0);
  EXPECT_FALSE(find_cut(known(), window, 1)) << "a third of its samples has no time";
  EXPECT_FALSE(find_cut({}, changed_at(5, 1), 1)) << "nothing is known";
  EXPECT_FALSE(find_cut(known(), empty_window(), 1));
}

TEST(cut, that_is_seen_later_is_looked_for_in_the_window_before) {
  const Shares after = shares_of(changed_at(0, 7), 1);
  const auto told = [&](double second, uint64_t seed) {
    const auto began = find_beginning(known(), changed_at(second, seed), after, 1);
    return began ? static_cast<double>(*began - kBegin) / kSecond : 10;
  };
  double off = 0;
  double off_where_it_began_later = 0;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    const double second = 7 + static_cast<double>(seed % 20) / 10;
    off += std::abs(told(second, seed) - second) / 100;
    off_where_it_began_later = std::max(off_where_it_began_later, 10 - told(10, seed));
  }
  EXPECT_LT(off, 0.3) << "seconds, of ten";
  EXPECT_LT(off_where_it_began_later, 1);
  EXPECT_FALSE(find_beginning(known(), empty_window(), after, 1));
}

TEST(cut, is_found_by_shares_that_differ_by_half) {
  const Shares before = shares_of(mixed(15'000, 10, 1), 1);
  double pieces_wrong = 0;
  double off = 0;
  double off_where_it_began_later = 0;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    const double second = 1 + static_cast<double>(seed % 80) / 10;
    const Shares after = shares_of(mixed(60, 0, seed + 1000), 1);
    if (const auto cut = find_cut(before, mixed(60, second, seed), 1)) {
      const double from = static_cast<double>(cut->from_ns - kBegin) / kSecond;
      const double to = cut->to_ns == INT64_MAX ? 10 : static_cast<double>(cut->to_ns - kBegin) / kSecond;
      pieces_wrong += (std::max(0.0, from - second) + std::max(0.0, second - to)) / 100;
    }
    const auto told = [&](double began) {
      const auto found = find_beginning(before, mixed(60, began, seed), after, 1);
      return found ? static_cast<double>(*found - kBegin) / kSecond : 10;
    };
    off += std::abs(told(second) - second) / 100;
    off_where_it_began_later += (10 - told(10)) / 100;
  }
  EXPECT_LT(pieces_wrong, 0.1) << "seconds, of ten";
  EXPECT_LT(off, 0.5);
  EXPECT_LT(off_where_it_began_later, 0.2);
}

// Old and new in turns: no time tells them apart.
TEST(cut, is_not_told_where_there_is_none) {
  Profile window = empty_window();
  for (int i = 0; i < 100; ++i) add(window, i % 2 == 0, i % 3 == 0, kBegin + i * kSecond / 10);
  const auto cut = find_cut(known(), window, 1);
  EXPECT_TRUE(!cut || cut->from_ns <= kBegin + kSecond) << "all of it is something else";
}

}  // namespace atys::adapt

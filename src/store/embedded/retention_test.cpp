// SPDX-License-Identifier: Apache-2.0
// With time detail is given up: which sums are read, what goes first, and what is said of it.
#include <gtest/gtest.h>

#include <random>

#include "store/embedded/embedded_store.h"
#include "store/store_maintenance.h"
#include "support/generated_profiles.h"
#include "support/scratch_folder.h"
#include "support/store_windows.h"

namespace atys::test {

using namespace store;

namespace {

std::string text_of(const Result<Merged>& merged) {
  return merged.ok() ? to_text(merged->profile) : "failed: " + merged.error().message;
}

}  // namespace

class RetentionTest : public testing::Test {
 protected:
  RetentionTest() {
    auto opened = open_embedded_store({.folder = folder_.path() + "/store"});
    EXPECT_TRUE(opened.ok()) << opened.error().message;
    store_ = opened.take();
  }

  ScratchFolder folder_;
  std::unique_ptr<ProfileStore> store_;
};

TEST_F(RetentionTest, reads_sums_where_they_fit_and_windows_at_the_edges) {
  std::vector<Window> windows;
  for (int i = 0; i < 3 * 360; ++i)
    windows.push_back(window_at(static_cast<uint64_t>(i) + 1, kNoon + i * 10 * kSecond, "main;work 1"));
  ASSERT_TRUE(store_->append(windows).ok());
  ASSERT_TRUE(store_->maintenance()->compact(kNoon + kDay).ok());
  const auto level = [&](int64_t from, int64_t to) { return store_->merge(all_of(from, to))->coverage.coarsest; };
  EXPECT_EQ(level(kNoon, kNoon + kHour), Level::Hours);
  EXPECT_EQ(level(kNoon + kMinute, kNoon + 9 * kMinute), Level::Minutes);
  EXPECT_EQ(level(kNoon + 10 * kSecond, kNoon + 50 * kSecond), Level::Windows);
  EXPECT_EQ(text_of(store_->merge(all_of(kNoon + 10 * kSecond, kNoon + 2 * kHour + 20 * kSecond))), "main;work 721\n");
}

TEST_F(RetentionTest, gives_up_detail_before_it_gives_up_days) {
  std::vector<Window> windows;
  for (uint64_t i = 0; i < 40; ++i) {
    windows.push_back(window_at(i + 1, kNoon + static_cast<int64_t>(i) * 3 * kHour + 5 * kMinute, "main;work {thread=7} 1"));
  }
  ASSERT_TRUE(store_->append(windows).ok());  // five days
  const int64_t now = kNoon + 5 * kDay;
  RetentionPolicy policy;
  policy.max_age_ns = {2 * kDay, 3 * kDay, 0};
  const auto dropped = store_->maintenance()->retain(policy, now);
  ASSERT_TRUE(dropped.ok()) << dropped.error().message;
  EXPECT_EQ(dropped->windows, 0u);
  EXPECT_EQ(dropped->files, 0u);
  EXPECT_EQ(text_of(store_->merge(all_of(kNoon, now))), "main;work 40\n");

  // Hours are left of the first days, and answer for more than was asked.
  auto merged = store_->merge(all_of(kNoon, kNoon + 6 * kMinute));
  EXPECT_EQ(text_of(merged), "main;work 1\n");
  EXPECT_FALSE(merged->coverage.exact);
  EXPECT_TRUE(merged->coverage.dropped);
  EXPECT_EQ(merged->coverage.coarsest, Level::Hours);
  EXPECT_EQ(merged->coverage.to_ns, kNoon + kHour);
  // Who spent it is not known any more; that is said.
  Selection of_node = all_of(kNoon, now);
  of_node.matchers = {equals("node", "node-a")};
  merged = store_->merge(of_node);
  EXPECT_TRUE(merged->coverage.dropped);
  EXPECT_LT(merged->coverage.windows, 40u);
  of_node.from_ns = now - kDay;
  EXPECT_FALSE(store_->merge(of_node)->coverage.dropped);
  EXPECT_EQ(text_of(store_->merge(all_of(now - kDay, now), Detail::Samples)), "main;work {thread=7} 8\n");

  policy.max_age_ns[2] = 3 * kDay;
  const auto more = store_->maintenance()->retain(policy, now);
  ASSERT_TRUE(more.ok()) << more.error().message;
  EXPECT_GT(more->windows, 0u);
  merged = store_->merge(all_of(kNoon, now));
  EXPECT_EQ(merged->coverage.windows + more->windows, 40u);
  EXPECT_TRUE(merged->coverage.dropped);
  EXPECT_FALSE(store_->merge(all_of(now - kDay, now))->coverage.dropped);
}

TEST_F(RetentionTest, keeps_within_its_size_and_drops_the_oldest) {
  std::mt19937_64 random(5);
  std::vector<Window> windows;
  for (uint64_t i = 0; i < 96; ++i) {
    windows.push_back(window_at(i + 1, kNoon + static_cast<int64_t>(i) * kHour,
                                generate_profile(random(), {.samples = 400, .deepest_stack = 3})));
  }
  ASSERT_TRUE(store_->append(windows).ok());
  const int64_t now = kNoon + 96 * kHour;
  ASSERT_TRUE(store_->maintenance()->compact(now).ok());
  RetentionPolicy policy;
  policy.max_age_ns = {};
  EXPECT_EQ(store_->maintenance()->retain(policy, now)->bytes, 0u) << "no limits";
  ASSERT_TRUE(store_->maintenance()->retain({.max_age_ns = {}, .max_bytes = UINT64_MAX}, now).ok());
  policy.max_bytes = store_->maintenance()->health()->bytes / 2;
  const auto dropped = store_->maintenance()->retain(policy, now);
  ASSERT_TRUE(dropped.ok()) << dropped.error().message;
  EXPECT_GT(dropped->blocks[0], 0u);
  EXPECT_LE(store_->maintenance()->health()->bytes, policy.max_bytes);
  const auto last_hours = store_->merge(all_of(now - 2 * kHour, now), Detail::Samples);
  EXPECT_TRUE(last_hours->coverage.exact);
  EXPECT_EQ(last_hours->coverage.windows, 2u);
}

TEST_F(RetentionTest, sums_are_of_no_stretch_and_an_answer_by_stretch_says_what_is_gone) {
  std::vector<Window> windows;
  for (uint64_t i = 0; i < 4; ++i) {
    windows.push_back(window_at(i + 1, kNoon + static_cast<int64_t>(i) * kMinute, "main 1"));
    windows.back().stretch = {.stream = "s/t", .number = 4 * (i / 2), .rate = 330};
  }
  ASSERT_TRUE(store_->append(windows).ok());
  ASSERT_TRUE(store_->maintenance()->compact(kNoon + kDay).ok());
  EXPECT_EQ(store_->merge_grouped(all_of(), {})->parts.size(), 2u);
  ASSERT_TRUE(store_->maintenance()->retain({.max_age_ns = {kHour, 0, 0}}, kNoon + 2 * kDay).ok());
  const auto grouped = store_->merge_grouped(all_of(), {});
  ASSERT_TRUE(grouped.ok()) << grouped.error().message;
  EXPECT_TRUE(grouped->parts.empty());
  EXPECT_TRUE(grouped->coverage.dropped);
  EXPECT_EQ(text_of(store_->merge(all_of())), "main 4\n") << "the sums have all of them";
}

TEST_F(RetentionTest, tells_what_its_files_hold_and_how_they_are) {
  const std::vector<Window> windows = {window_at(1, kNoon, "main 1"), window_at(2, kNoon + kDay, "main 1")};
  ASSERT_TRUE(store_->append(windows).ok());
  EXPECT_GT(store_->services()->at(0).bytes, 0u);
  const auto health = store_->maintenance()->health(/*check_integrity=*/true);
  ASSERT_TRUE(health.ok()) << health.error().message;
  EXPECT_EQ(health->windows, 2u);
  EXPECT_EQ(health->newest_ns, kNoon + kDay);
  EXPECT_EQ(health->files, 2u);
  EXPECT_GT(health->bytes, 0u);
  EXPECT_TRUE(health->problems.empty());
  EXPECT_GT(store_->maintenance()->default_max_bytes(), health->bytes);
}

}  // namespace atys::test

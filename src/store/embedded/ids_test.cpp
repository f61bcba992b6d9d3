// SPDX-License-Identifier: Apache-2.0
// What tells a window that comes again: its id, as long as the window is kept.
#include <gtest/gtest.h>

#include "store/embedded/calendar.h"
#include "store/embedded/database.h"
#include "store/embedded/embedded_store.h"
#include "store/store_maintenance.h"
#include "support/scratch_folder.h"
#include "support/store_windows.h"

namespace atys::test {

using namespace store;

TEST(store_ids, a_window_without_a_time_counts_once_whenever_it_comes_again) {
  const ScratchFolder folder;
  const auto store = open_embedded_store({.folder = folder.path()}).take();
  Window window = window_at(1, kNoon, "main 1");
  window.is_undated = true;
  for (const int64_t later : {int64_t{0}, 5 * kMinute, 20 * kHour}) {
    window.start_ns = kNoon + later;
    window.end_ns = window.start_ns;
    EXPECT_EQ(store->append({&window, 1})->added, later == 0 ? 1u : 0u) << later;
  }
  EXPECT_EQ(to_text(store->merge(all_of(kNoon - kDay, kNoon + 3 * kDay))->profile), "main 1\n");
}

TEST(store_ids, are_forgotten_with_the_windows_that_they_guard_and_nothing_counts_twice_for_it) {
  const ScratchFolder folder;
  const auto store = open_embedded_store({.folder = folder.path()}).take();
  const std::vector<Window> windows = {window_at(1, kNoon - 5 * kHour, "main;old 1"), window_at(2, kNoon, "main;new 1")};
  ASSERT_EQ(store->append(windows)->added, 2u);
  ASSERT_TRUE(store->maintenance()->retain({.max_age_ns = {kHour, 30 * kDay, 365 * kDay}}, kNoon).ok());
  const auto file = Database::open(folder.path() + "/" + day_file_name(kNoon), Database::Mode::Read).take();
  EXPECT_EQ(*file->number("SELECT count(*) FROM seen"), 1);
  const auto again = store->append(windows);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->added, 0u);
  EXPECT_EQ(again->duplicates, 1u);
  ASSERT_EQ(again->refused.size(), 1u);
  EXPECT_EQ(again->refused[0].position, 0u);
  EXPECT_EQ(to_text(store->merge(all_of())->profile), "main;new 1\nmain;old 1\n");
}

}  // namespace atys::test

// SPDX-License-Identifier: Apache-2.0
// Every operation on the disk that an append, a summing up or a retention consists of fails, or is the last one before the
// power goes. Nothing that was acknowledged is lost, and what is sent again counts once.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <random>

#include "store/embedded/calendar.h"
#include "store/embedded/embedded_store.h"
#include "store/store_maintenance.h"
#include "support/faulty_disk.h"
#include "support/scratch_folder.h"
#include "support/store_windows.h"

namespace atys::test {

using namespace store;

namespace {

struct Trouble {
  const char* name;
  Fault fault;
  int error;  // SQLITE_OK: what fits the operation
};

constexpr Trouble kTroubles[] = {{"bad_sector", Fault::Once, SQLITE_OK},
                                 {"full_disk", Fault::FromNow, SQLITE_FULL},
                                 {"read_only_disk", Fault::FromNow, SQLITE_READONLY},
                                 {"broken_disk", Fault::FromNow, SQLITE_OK},
                                 {"power_cut", Fault::PowerCut, SQLITE_OK}};

Window numbered(uint64_t number, int64_t start_ns) {
  Window window = window_at(number, start_ns, "main;w" + std::to_string(number) + " 1");
  window.mark = {id_of(7), number};
  return window;
}

}  // namespace

class FaultTest : public testing::TestWithParam<Trouble> {
 protected:
  using Work = std::function<Result<>(ProfileStore&)>;

  std::unique_ptr<ProfileStore> open() {
    auto opened = open_embedded_store({.folder = folder()});
    EXPECT_TRUE(opened.ok()) << opened.error().message;
    return opened.take();
  }
  std::string folder() const { return scratch_.path() + "/store"; }

  // Three days of windows, acknowledged.
  void prepare() {
    std::filesystem::remove_all(folder());
    disk_.forget();
    const std::string made = scratch_.path() + "/made";
    if (!std::filesystem::exists(made)) {
      {
        const auto store = open();
        for (const Window& window : before_) ASSERT_TRUE(store->append({&window, 1}).ok());
        ASSERT_TRUE(store->maintenance()->compact(kNoon + kMinute).ok());
      }
      disk_.forget();
      std::filesystem::rename(folder(), made);
    }
    std::filesystem::copy(made, folder());
  }

  // Each window that is there is there once; those of `must` are.
  void expect_once(ProfileStore& store, const std::vector<Window>& must, uint64_t nth) {
    for (const Detail detail : {Detail::Stacks, Detail::Samples}) {
      const auto merged = store.merge(all_of(kNoon - 3 * kDay, kNoon + 3 * kDay), detail);
      ASSERT_TRUE(merged.ok()) << merged.error().message;
      const std::string text = to_text(merged->profile);
      for (size_t row = 0; row < merged->profile.samples.size(); ++row) {
        ASSERT_EQ(merged->profile.samples.value(row, 0), 1) << "counted twice, operation " << nth << "\n" << text;
      }
      if (detail == Detail::Samples && !has_windows_) continue;
      for (const Window& window : must) {
        ASSERT_NE(text.find(to_text(window.profile)), std::string::npos)
            << "acknowledged and lost, operation " << nth << ": " << to_text(window.profile) << "of\n"
            << text;
      }
    }
  }

  // For every n of the work: it happens there, then all is well again and the sender repeats what it has no answer for.
  void run(const Work& work, const std::vector<Window>& sent) {
    const Trouble& trouble = GetParam();
    std::mt19937_64 random(9);
    for (uint64_t nth = 1;; ++nth) {
      ASSERT_LT(nth, 5'000u) << "no end";
      prepare();
      auto store = open();
      disk_.arm(nth, trouble.fault, trouble.error);
      const Result<> done = work(*store);
      EXPECT_TRUE(done.ok() || done.error().code == ErrorCode::Unavailable) << done.error().message;
      const bool was_hit = disk_.was_hit();
      if (trouble.fault == Fault::PowerCut && was_hit) {
        store.reset();
        disk_.lose_unsynced(random);
      }
      disk_.heal();
      if (store == nullptr) store = open();
      std::vector<Window> acknowledged = must_stay_;
      if (done.ok()) acknowledged.insert(acknowledged.end(), sent.begin(), sent.end());
      expect_once(*store, acknowledged, nth);
      // Twice, as if the answer had been lost.
      for (int i = 0; i < 2 && !sent.empty(); ++i) {
        const auto again = store->append(sent);
        ASSERT_TRUE(again.ok()) << again.error().message;
        EXPECT_TRUE(again->refused.empty());
      }
      const Result<> repeated = work(*store);
      ASSERT_TRUE(repeated.ok()) << repeated.error().message;
      acknowledged = must_stay_;
      acknowledged.insert(acknowledged.end(), sent.begin(), sent.end());
      expect_once(*store, acknowledged, nth);
      store.reset();
      if (!was_hit) break;
      hits_ = nth;
    }
    EXPECT_GT(hits_, 5u) << "nothing failed";
    RecordProperty("operations", static_cast<int>(hits_));
  }

  ScratchFolder scratch_;
  FaultyDisk disk_;
  std::vector<Window> before_ = {numbered(1, kNoon - 2 * kDay),     numbered(2, kNoon - kDay),
                                 numbered(3, kNoon - kDay + kHour), numbered(4, kNoon - 5 * kMinute),
                                 numbered(5, kNoon - 5 * kMinute),  numbered(6, kNoon)};
  std::vector<Window> must_stay_ = before_;
  bool has_windows_ = true;
  uint64_t hits_ = 0;
};

TEST_P(FaultTest, an_append_is_there_once_if_it_was_acknowledged) {
  // Into a day that is there, and into one that has to be made.
  const std::vector<Window> sent = {numbered(7, kNoon + kMinute), numbered(8, kNoon + kDay)};
  run(
      [&](ProfileStore& store) -> Result<> {
        TRY(store.append(sent));
        return {};
      },
      sent);
}

TEST_P(FaultTest, summing_up_changes_no_answer) {
  run(
      [&](ProfileStore& store) -> Result<> {
        const auto compacted = store.maintenance()->compact(kNoon + kDay);
        if (compacted.ok()) return {};
        Error error = compacted.error();
        error.code = ErrorCode::Unavailable;
        return error;
      },
      {});
}

TEST_P(FaultTest, retention_takes_what_is_old_and_nothing_else) {
  must_stay_.erase(must_stay_.begin());
  has_windows_ = false;
  run(
      [&](ProfileStore& store) -> Result<> {
        const auto dropped = store.maintenance()->retain({.max_age_ns = {6 * kHour, 30 * kDay, kDay}}, kNoon + kMinute);
        if (dropped.ok()) return {};
        Error error = dropped.error();
        error.code = ErrorCode::Unavailable;
        return error;
      },
      {});
}

INSTANTIATE_TEST_SUITE_P(Faults, FaultTest, testing::ValuesIn(kTroubles),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace atys::test

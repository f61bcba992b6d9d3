// SPDX-License-Identifier: Apache-2.0
// Every operation on a disk that handing windows over to the controller above consists of fails, or is the last one before
// the power goes: here, and at the controller above. What was acknowledged arrives, and arrives once.
#include <gtest/gtest.h>

#include <random>

#include "fleet/controller/received.h"
#include "fleet/controller/upstream.h"
#include "fleet/window_labels.h"
#include "store/embedded/embedded_store.h"
#include "support/faulty_calls.h"
#include "support/faulty_disk.h"
#include "support/fleet_windows.h"
#include "support/scratch_folder.h"

namespace atys::fleet {

namespace {

using test::Fault;
using test::SentWindow;

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kMinute = 60 * kSecond;
constexpr int64_t kStart = 1'790'000'040 * kSecond;

struct Trouble {
  const char* name;
  bool is_of_files;  // the spool and its notes; else the stores
  Fault fault;
  int error;
};

constexpr Trouble kTroubles[] = {{"bad_sector_below_a_store", false, Fault::Once, SQLITE_OK},
                                 {"full_disk_below_a_store", false, Fault::FromNow, SQLITE_FULL},
                                 {"power_cut_below_a_store", false, Fault::PowerCut, SQLITE_OK},
                                 {"bad_sector_below_the_spool", true, Fault::Once, EIO},
                                 {"full_disk_below_the_spool", true, Fault::FromNow, ENOSPC},
                                 {"read_only_disk_below_the_spool", true, Fault::FromNow, EROFS},
                                 {"death_at_the_spool", true, Fault::PowerCut, EIO}};

std::vector<store::Window> windows_of(const std::string& stacks, const std::string& node) {
  const SentWindow sent{.stacks = stacks,
                        .attributes = {{std::string(kServiceName), "shop"},
                                       {std::string(kHostName), node},
                                       {std::string(kSender), node},
                                       {std::string(kSequence), "1"}},
                        .start_ns = kStart};
  return read_windows(test::otlp_bytes(sent), OtlpEncoding::Protobuf, {})->windows;
}

std::unique_ptr<store::ProfileStore> store_in(const std::string& folder) {
  auto opened = store::open_embedded_store({.folder = folder});
  CHECK(opened.ok());
  return opened.take();
}

// Stores what is passed on, and says so.
class ToStore final : public ControllerLink {
 public:
  explicit ToStore(store::ProfileStore& store) : store_(store) {}
  Result<Orders> report(const AgentReport&) override { return Orders{}; }
  Result<> send(const std::string& otlp) override {
    TRY(store_.append(TRY(read_windows(otlp, OtlpEncoding::Protobuf, {})).windows));
    return {};
  }

 private:
  store::ProfileStore& store_;
};

}  // namespace

class UpstreamFaultTest : public testing::TestWithParam<Trouble> {
 protected:
  // A controller, and the one above it.
  struct Both {
    std::unique_ptr<store::ProfileStore> above, below;
    std::unique_ptr<Upstream> upstream;
  };

  Both open(const std::string& folder) {
    Both both{store_in(folder + "/above"), store_in(folder + "/below"), nullptr};
    UpstreamOptions options{.name = "site",
                            .folder = folder + "/upstream",
                            .files = &files_,
                            .now_ns = [this] { return now_; },
                            .report = [] { return AgentReport{.node = "site", .sender = std::string(16, '\1')}; },
                            .on_orders = [](const Orders&) {}};
    auto opened = Upstream::open(std::move(options), *both.below, std::make_unique<ToStore>(*both.above));
    CHECK(opened.ok());
    both.upstream = opened.take();
    return both;
  }

  void arm(uint64_t nth) {
    const Trouble& trouble = GetParam();
    if (trouble.is_of_files)
      files_.arm(nth, trouble.fault != Fault::Once, trouble.error);
    else
      disk_.arm(nth, trouble.fault, trouble.error);
  }
  bool was_hit() const { return GetParam().is_of_files ? files_.was_hit() : disk_.was_hit(); }
  void heal() {
    files_.arm(0, false, 0);
    disk_.heal();
  }

  static std::string text_of(store::ProfileStore& store) {
    const auto merged =
        store.merge({.service = "shop", .kind = "cpu", .from_ns = kStart - kMinute, .to_ns = kStart + 60 * kMinute},
                    store::Detail::Stacks);
    return merged.ok() ? test::to_text(merged->profile) : merged.error().message;
  }

  test::FaultyDisk disk_;
  test::FaultyCalls files_;
  int64_t now_ = kStart;
};

TEST_P(UpstreamFaultTest, what_was_acknowledged_is_handed_over_once) {
  const std::vector<store::Window> in_time = windows_of("main;f 3\n", "web-1");
  const std::vector<store::Window> late = windows_of("main;g 4\n", "web-2");
  std::mt19937_64 random(9);
  uint64_t hits = 0;
  for (uint64_t nth = 1;; ++nth) {
    ASSERT_LT(nth, 5'000u) << "no end";
    const test::ScratchFolder scratch;
    disk_.forget();
    heal();
    now_ = kStart;
    Both both = open(scratch.path());
    arm(nth);
    // A minute that is handed over, and a window that comes for it when it is.
    bool is_acknowledged = both.upstream->append(in_time).ok();
    now_ = kStart + 2 * kMinute;
    both.upstream->work_once();
    bool is_late_acknowledged = is_acknowledged && both.upstream->append(late).ok();
    both.upstream->work_once();
    const bool has_happened = was_hit();
    both = {};
    if (has_happened && GetParam().fault == Fault::PowerCut) disk_.lose_unsynced(random);
    heal();
    both = open(scratch.path());
    both.upstream->work_once();
    // Senders repeat what they have no answer for, and what they have one for where it was lost.
    for (int i = 0; i < 2; ++i) {
      ASSERT_TRUE(both.upstream->append(in_time).ok());
      now_ += 2 * kMinute;
      both.upstream->work_once();
      ASSERT_TRUE(both.upstream->append(late).ok());
      both.upstream->work_once();
    }
    ASSERT_EQ(text_of(*both.above), "main;f 3\nmain;g 4\n")
        << "operation " << nth << ", acknowledged " << is_acknowledged << is_late_acknowledged;
    ASSERT_EQ(text_of(*both.below), "main;f 3\nmain;g 4\n") << "operation " << nth;
    if (!has_happened) break;
    hits = nth;
  }
  EXPECT_GT(hits, 5u) << "nothing failed";
  RecordProperty("operations", static_cast<int>(hits));
}

INSTANTIATE_TEST_SUITE_P(Faults, UpstreamFaultTest, testing::ValuesIn(kTroubles),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace atys::fleet

// SPDX-License-Identifier: Apache-2.0
#include "fleet/controller/upstream.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "base/byte_source.h"
#include "fleet/controller/controller.h"
#include "fleet/window_labels.h"
#include "store/open_store.h"
#include "support/fleet_windows.h"
#include "support/forwarding_store.h"
#include "support/scratch_folder.h"

namespace atys::fleet {

namespace {

using test::SentWindow;

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kMinute = 60 * kSecond;
constexpr int64_t kStart = 1'790'000'040 * kSecond;

std::unique_ptr<store::ProfileStore> make_store() {
  auto store = store::open_store("memory:");
  CHECK(store.ok());
  return store.take();
}

// The end of the line: takes what is passed on.
struct Root {
  test::ScratchFolder folder;
  std::shared_ptr<std::atomic<int64_t>> now = std::make_shared<std::atomic<int64_t>>(kStart);
  std::unique_ptr<Controller> controller;

  Root() {
    auto opened = Controller::open(
        {.folder = folder.path(), .name = "root", .now_ns = [clock = now] { return clock->load(); }}, make_store());
    CHECK(opened.ok());
    controller = opened.take();
  }
  std::string text() const {
    const auto merged = controller->profile({.service = "shop", .from_ns = kStart, .to_ns = kStart + 60 * kMinute});
    return merged.ok() ? test::to_text(merged->profile) : merged.error().message;
  }
};

// A controller in the middle, without its doors and its thread.
struct Middle {
  test::ScratchFolder folder;
  std::unique_ptr<store::ProfileStore> store;
  std::unique_ptr<Upstream> upstream;
  std::string name;
  std::atomic<int64_t> now = kStart;
  std::vector<std::string> tasks;

  Middle(const std::string& called, Controller& above) : name(called) {
    store = make_store();
    open(above);
  }
  void open(Controller& above) {
    UpstreamOptions options{.name = name,
                            .folder = folder.path() + "/upstream",
                            .now_ns = [this] { return now.load(); },
                            .report = [this] { return AgentReport{.node = name, .sender = std::string(16, '\1')}; },
                            .on_orders = [this](const Orders& orders) { tasks = orders.tasks; }};
    auto opened = Upstream::open(std::move(options), *store, open_local_link(above));
    CHECK(opened.ok());
    upstream = opened.take();
  }
  void take(const SentWindow& window) {
    const Received received = *read_windows(test::otlp_bytes(window), OtlpEncoding::Protobuf, {});
    CHECK(upstream->append(received.windows).ok());
  }
  void pass(int64_t until) {
    now = until;
    upstream->work_once();
  }
};

SentWindow window(const std::string& stacks, const std::string& node, int64_t start, const std::string& version = "1") {
  return {.stacks = stacks,
          .attributes = {{std::string(kServiceName), "shop"},
                         {std::string(kServiceVersion), version},
                         {std::string(kHostName), node},
                         {std::string(kSender), node},
                         {std::string(kSequence), std::to_string(start)}},
          .start_ns = start};
}

// A store that dies when it has stored something: the answer is lost.
class DyingStore final : public test::ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;

  Result<store::Appended> append(std::span<const store::Window> windows) override {
    auto appended = ForwardingStore::append(windows);
    if (dies) return fail(ErrorCode::Unavailable, "dead");
    return appended;
  }

  bool dies = false;
};

}  // namespace

TEST(upstream, a_late_window_that_was_stored_when_the_machine_died_is_passed_on_when_it_comes_again) {
  Root root;
  Middle middle("site", *root.controller);
  middle.take(window("main;f 3\n", "web-1", kStart));
  middle.pass(kStart + 2 * kMinute);
  DyingStore dying(*middle.store);
  const auto take_late = [&] {
    UpstreamOptions options{.name = "site",
                            .folder = middle.folder.path() + "/upstream",
                            .now_ns = [&] { return middle.now.load(); },
                            .report = [] { return AgentReport{.node = "site", .sender = std::string(16, '\1')}; },
                            .on_orders = [](const Orders&) {}};
    middle.upstream.reset();
    auto upstream = Upstream::open(std::move(options), dying, open_local_link(*root.controller));
    CHECK(upstream.ok());
    const Received late = *read_windows(test::otlp_bytes(window("main;g 4\n", "web-2", kStart)), OtlpEncoding::Protobuf, {});
    const bool is_acknowledged = (*upstream)->append(late.windows).ok();
    (*upstream)->work_once();
    return is_acknowledged;
  };
  dying.dies = true;
  EXPECT_FALSE(take_late());
  EXPECT_EQ(root.text(), "main;f 3\n");
  dying.dies = false;
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(take_late());
    EXPECT_EQ(root.text(), "main;f 3\nmain;g 4\n");
  }
}

TEST(upstream, a_minute_of_all_nodes_is_passed_on_as_one_window_for_each_version) {
  Root root;
  Middle middle("site", *root.controller);
  middle.take(window("main;f 3\n", "web-1", kStart));
  middle.take(window("main;f 4\n", "web-2", kStart + 10 * kSecond));
  middle.take(window("main;g 5\n", "web-1", kStart + 20 * kSecond, "2"));
  middle.pass(kStart + kMinute);  // it may still get windows
  EXPECT_EQ(root.controller->status()->windows, 0u);
  middle.pass(kStart + 2 * kMinute);
  EXPECT_EQ(root.text(), "main;f 7\nmain;g 5\n");
  EXPECT_EQ(root.controller->status()->windows, 2u);
  middle.pass(kStart + 10 * kMinute);
  EXPECT_EQ(root.controller->status()->windows, 2u);
}

TEST(upstream, who_idles_is_not_gone) {
  Root root;
  Middle middle("site", *root.controller);
  middle.take(window("main;f 3\n", "web-1", kStart));
  middle.take(window("", "web-1", kStart + kMinute));
  middle.pass(kStart + 3 * kMinute);
  middle.take(window("", "web-1", kStart + 70 * kSecond));  // late
  middle.pass(kStart + 6 * kMinute);                        // and nothing more is known
  const auto services = root.controller->services();
  ASSERT_TRUE(services.ok());
  ASSERT_EQ(services->size(), 1u);
  EXPECT_EQ(services->at(0).service, "shop");
  EXPECT_EQ(services->at(0).windows, 3u);
  const auto series =
      root.controller->series({.service = "shop", .from_ns = kStart, .to_ns = kStart + 3 * kMinute}, kMinute, "");
  ASSERT_TRUE(series.ok());
  EXPECT_EQ(series->points[0].total, 3);
  EXPECT_EQ(series->points[1].total, 0);
  EXPECT_EQ(series->points[1].windows, 2u) << "nothing was done, which is known";
  EXPECT_EQ(series->points[2].windows, 0u) << "nothing is known";
}

TEST(upstream, late_windows_are_passed_on_and_none_is_twice) {
  Root root;
  Middle middle("site", *root.controller);
  middle.take(window("main;f 3\n", "web-1", kStart));
  middle.pass(kStart + 2 * kMinute);
  middle.take(window("main;g 4\n", "web-2", kStart));
  middle.take(window("main;g 4\n", "web-2", kStart));  // sent again
  middle.take(window("main;f 3\n", "web-1", kStart));  // sent again, after its minute was passed on
  middle.pass(kStart + 2 * kMinute);
  EXPECT_EQ(root.text(), "main;f 3\nmain;g 4\n");
}

TEST(upstream, a_crash_while_a_minute_is_passed_on_loses_nothing_and_doubles_nothing) {
  Root root;
  Middle middle("site", *root.controller);
  middle.take(window("main;f 3\n", "web-1", kStart));
  middle.pass(kStart + 2 * kMinute);
  ASSERT_EQ(root.text(), "main;f 3\n");
  middle.upstream.reset();
  // As if it had stopped after it had put the minute into the spool, and before it had noted so.
  const std::string progress = middle.folder.path() + "/upstream/progress";
  const auto sink = open_sink(progress).take();
  ASSERT_TRUE(sink->write(std::to_string(kStart) + " closing\n").ok());
  ASSERT_TRUE(sink->commit().ok());
  middle.open(*root.controller);
  middle.take(window("main;g 1\n", "web-1", kStart + kSecond));
  middle.pass(kStart + 3 * kMinute);
  EXPECT_EQ(root.text(), "main;f 3\nmain;g 1\n");
  EXPECT_EQ(root.controller->status()->duplicates, 1u);
}

TEST(upstream, what_cannot_be_sent_waits) {
  class Away final : public ControllerLink {
   public:
    Result<Orders> report(const AgentReport&) override { return fail(ErrorCode::Unavailable, "nobody there"); }
    Result<> send(const std::string&) override { return fail(ErrorCode::Unavailable, "nobody there"); }
  };
  Root root;
  Middle middle("site", *root.controller);
  middle.upstream.reset();
  middle.upstream = Upstream::open({.name = "site",
                                    .folder = middle.folder.path() + "/upstream",
                                    .now_ns = [&] { return middle.now.load(); },
                                    .report = [] { return AgentReport{.node = "site", .sender = std::string(16, '\1')}; },
                                    .on_orders = [](const Orders&) {}},
                                   *middle.store, std::make_unique<Away>())
                        .take();
  middle.take(window("main;f 3\n", "web-1", kStart));
  middle.pass(kStart + 2 * kMinute);
  EXPECT_EQ(middle.upstream->status().spooled_windows, 1u);
  EXPECT_FALSE(middle.upstream->status().is_connected);
  EXPECT_EQ(middle.upstream->status().trouble, "nobody there");
  middle.upstream.reset();
  middle.open(*root.controller);
  middle.pass(kStart + 2 * kMinute);
  EXPECT_EQ(root.text(), "main;f 3\n");
  EXPECT_TRUE(middle.upstream->status().is_connected);
}

TEST(upstream, tasks_come_down_the_tree) {
  Root root;
  ASSERT_TRUE(root.controller->apply_task("task: a\nservice: shop\nnodes: [web-1]\n", "a").ok());
  Middle middle("site", *root.controller);
  middle.pass(kStart);
  // The root does not know of web-1; that is the middle's business. A report without the role gets only what is its own.
  EXPECT_TRUE(middle.tasks.empty());
  auto named =
      Controller::open({.folder = middle.folder.path(), .name = "site2"}, make_store(), open_local_link(*root.controller));
  ASSERT_TRUE(named.ok());
  const AgentReport leaf{.node = "web-1", .sender = std::string(16, '\2')};
  for (int i = 0; i < 600 && (*named)->report(leaf)->tasks.empty(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ((*named)->report(leaf)->tasks.size(), 1u);
}

TEST(upstream, three_levels_give_the_same_profile_as_one) {
  Root one, top;
  Middle second("region", *top.controller);
  // The lowest level speaks to the middle one as it would to any controller.
  class Taking final : public ControllerLink {
   public:
    explicit Taking(Middle& middle) : middle_(middle) {}
    Result<Orders> report(const AgentReport&) override { return Orders{}; }
    Result<> send(const std::string& otlp) override {
      const Received received = *read_windows(otlp, OtlpEncoding::Protobuf, {});
      TRY(middle_.upstream->append(received.windows));
      return {};
    }

   private:
    Middle& middle_;
  };
  test::ScratchFolder folder;
  const auto lowest_store = make_store();
  std::atomic<int64_t> now = kStart;
  const auto lowest = Upstream::open({.name = "rack",
                                      .folder = folder.path() + "/upstream",
                                      .now_ns = [&] { return now.load(); },
                                      .report = [] { return AgentReport{.node = "rack", .sender = std::string(16, '\1')}; },
                                      .on_orders = [](const Orders&) {}},
                                     *lowest_store, std::make_unique<Taking>(second))
                          .take();
  for (int minute = 0; minute < 3; ++minute) {
    for (int node = 0; node < 4; ++node) {
      for (int part = 0; part < 3; ++part) {
        SentWindow sent = window("main;f 300\nmain;g " + std::to_string(10 * (minute + node + part + 1)) + "\n",
                                 "web-" + std::to_string(node), kStart + minute * kMinute + part * 20 * kSecond);
        if (node > 1) {
          sent.attributes[std::string(kStretch)] = std::to_string(minute / 2);
          sent.period_ns = part == 0 ? 1 : 10;
        }
        const std::string bytes = test::otlp_bytes(sent);
        ASSERT_TRUE(one.controller->receive(bytes, OtlpEncoding::Protobuf).ok());
        ASSERT_TRUE(lowest->append(read_windows(bytes, OtlpEncoding::Protobuf, {})->windows).ok());
      }
    }
  }
  now = kStart + 10 * kMinute;
  lowest->work_once();
  second.pass(kStart + 10 * kMinute);
  EXPECT_EQ(top.text(), one.text());
  EXPECT_LT(top.controller->status()->windows, one.controller->status()->windows);
}

TEST(upstream, a_clock_that_jumps_ahead_and_back_loses_nothing_and_doubles_nothing) {
  constexpr int64_t kDay = 86'400 * kSecond;
  Root root;
  Middle middle("site", *root.controller);
  middle.take(window("main;f 1\n", "web-1", kStart));
  middle.pass(kStart + 400 * kDay);
  const int64_t saved =
      std::stoll(std::string(as_text(*open_source(middle.folder.path() + "/upstream/progress").take()->read_all())));
  EXPECT_EQ(saved, kStart + kMinute) << "minutes that have no windows are not over because a clock says so";
  middle.pass(kStart + kMinute);
  middle.take(window("main;f 2\n", "web-1", kStart + kMinute));
  middle.take(window("main;f 4\n", "web-2", kStart + 5 * kMinute));
  middle.pass(kStart + 10 * kMinute);
  EXPECT_EQ(root.text(), "main;f 7\n");
  EXPECT_EQ(root.controller->status()->windows, 3u);
}

TEST(upstream, a_spool_that_cannot_be_written_keeps_minutes_open_and_late_windows_away) {
  Root root;
  Middle middle("site", *root.controller);
  middle.take(window("main;f 3\n", "web-1", kStart));
  middle.pass(kStart + 2 * kMinute);
  ASSERT_EQ(root.text(), "main;f 3\n");
  middle.take(window("main;f 5\n", "web-1", kStart + 2 * kMinute));
  // The next file of the spool cannot be made: there is a folder in its place.
  const std::string spool = middle.folder.path() + "/upstream/";
  for (int number = 2; number < 30; ++number)
    std::filesystem::create_directories(spool + fmt::format("{:012}.otlp.gz.part/x", number));
  middle.pass(kStart + 10 * kMinute);
  EXPECT_EQ(root.text(), "main;f 3\n");
  EXPECT_NE(middle.upstream->status().trouble, "");
  const Received late = *read_windows(test::otlp_bytes(window("main;g 7\n", "web-2", kStart)), OtlpEncoding::Protobuf, {});
  EXPECT_FALSE(middle.upstream->append(late.windows).ok()) << "it is new only once";
  for (int number = 2; number < 30; ++number)
    std::filesystem::remove_all(spool + fmt::format("{:012}.otlp.gz.part", number));
  ASSERT_TRUE(middle.upstream->append(late.windows).ok());
  middle.pass(kStart + 10 * kMinute);
  EXPECT_EQ(root.text(), "main;f 8\nmain;g 7\n");
  EXPECT_EQ(middle.upstream->status().dropped_windows, 0u);
}

}  // namespace atys::fleet

// SPDX-License-Identifier: Apache-2.0
#include "fleet/controller/controller.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "fleet/controller/doors.h"
#include "fleet/window_labels.h"
#include "fleet/wire/grpc_link.h"
#include "store/open_store.h"
#include "support/fleet_windows.h"
#include "support/scratch_folder.h"

namespace atys::fleet {

namespace {

using test::SentWindow;

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kMinute = 60 * kSecond;
constexpr int64_t kStart = 1'790'000'040 * kSecond;  // a full minute

// A controller with a clock that a test sets.
struct Site {
  test::ScratchFolder folder;
  // Time passes with the clock, but for what `set_by` says.
  std::shared_ptr<std::atomic<int64_t>> now = std::make_shared<std::atomic<int64_t>>(kStart);
  std::shared_ptr<std::atomic<int64_t>> set_by = std::make_shared<std::atomic<int64_t>>(0);
  std::string name, store_url;
  std::unique_ptr<Controller> controller;

  explicit Site(const std::string& called, Controller* above = nullptr) : Site(called, above, "memory:") {}
  // One whose store has files: there when it is opened again, and to be maintained.
  static Site on_disk(const std::string& called) { return Site(called, nullptr, "embedded:"); }

  void open(Controller* above) {
    auto store = store::open_store(store_url == "embedded:" ? store_url + folder.path() + "/store" : store_url);
    CHECK(store.ok());
    auto opened = Controller::open({.folder = folder.path(),
                                    .name = name,
                                    .now_ns = [clock = now, by = set_by] { return clock->load() + by->load(); },
                                    .running_ns = [clock = now] { return clock->load(); }},
                                   store.take(), above != nullptr ? open_local_link(*above) : nullptr);
    CHECK(opened.ok());
    controller = opened.take();
  }

  ServiceQuery everything(const std::string& service = "shop") const {
    return {.service = service, .from_ns = kStart - kMinute, .to_ns = kStart + 60 * kMinute};
  }
  std::string text(const std::string& service = "shop") const {
    const auto merged = controller->profile(everything(service));
    return merged.ok() ? test::to_text(merged->profile) : merged.error().message;
  }
  uint64_t windows() const { return controller->status()->windows; }

 private:
  Site(const std::string& called, Controller* above, std::string url) : name(called), store_url(std::move(url)) {
    open(above);
  }
};

SentWindow window(int sequence, const std::string& stacks, const std::string& node = "web-1", int64_t start = kStart) {
  return {.stacks = stacks,
          .attributes = {{std::string(kServiceName), "shop"},
                         {std::string(kHostName), node},
                         {std::string(kSender), node + "0011223344556677"},
                         {std::string(kSequence), std::to_string(sequence)}},
          .start_ns = start};
}

struct FunctionShare {
  double share = 0;
  double total = 0;
};

FunctionShare share_of(const Profile& profile, const std::string& function) {
  FunctionShare found;
  const size_t column = profile.default_value_column();
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    const auto value = static_cast<double>(profile.samples.value(row, column));
    found.total += value;
    if (frame_name(profile, profile.stacks[profile.samples.stack(row)].front()) == function) found.share += value;
  }
  found.share /= found.total;
  return found;
}

bool has_fact(const Profile& profile, std::string_view key, std::string_view value) {
  return std::ranges::any_of(profile.provenance, [&](const profile::Fact& fact) {
    return profile.text(fact.key) == key && profile.text(fact.value) == value;
  });
}

Result<ExportResponse> send(Controller& controller, const SentWindow& sent) {
  return controller.receive(test::otlp_bytes(sent), OtlpEncoding::Protobuf);
}

}  // namespace

TEST(controller, windows_of_all_nodes_are_one_profile) {
  Site site("root");
  ASSERT_TRUE(send(*site.controller, window(1, "main;f 3\n")).ok());
  ASSERT_TRUE(send(*site.controller, window(2, "main;f 4\nmain;g 1\n", "web-1", kStart + 10 * kSecond)).ok());
  ASSERT_TRUE(send(*site.controller, window(1, "main;g 5\n", "web-2")).ok());
  EXPECT_EQ(site.text(), "main;f 7\nmain;g 6\n");
  ServiceQuery one_node = site.everything();
  one_node.matchers = {store::equals("node", "web-2")};
  EXPECT_EQ(test::to_text(site.controller->profile(one_node)->profile), "main;g 5\n");
}

TEST(controller, what_is_sent_twice_is_stored_once_also_after_a_restart) {
  Site site = Site::on_disk("root");
  ASSERT_TRUE(send(*site.controller, window(1, "main;f 3\n")).ok());
  EXPECT_EQ(*send(*site.controller, window(1, "main;f 3\n")), ExportResponse{});
  EXPECT_EQ(site.controller->status()->duplicates, 1u);
  site.controller.reset();
  site.open(nullptr);
  ASSERT_TRUE(send(*site.controller, window(1, "main;f 3\n")).ok());
  EXPECT_EQ(site.text(), "main;f 3\n");
}

TEST(controller, a_bad_message_is_refused_and_the_others_are_not) {
  Site site("root");
  ASSERT_TRUE(send(*site.controller, window(1, "main;f 3\n")).ok());
  std::string damaged = test::otlp_bytes(window(2, "main;g 3\n"));
  damaged.resize(damaged.size() / 2);
  const auto refused = site.controller->receive(damaged, OtlpEncoding::Protobuf);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::InvalidInput);
  SentWindow old = window(3, "main;g 3\n");
  old.attributes.erase(std::string(kSender));  // of no agent, whose clock might be wrong
  old.start_ns = kStart - 100 * 24 * 60 * kMinute;
  const auto sent = send(*site.controller, old);
  ASSERT_TRUE(sent.ok()) << sent.error().message;
  EXPECT_EQ(sent->rejected_profiles, 1);
  EXPECT_EQ(site.text(), "main;f 3\n");
  const ControllerStatus status = *site.controller->status();
  EXPECT_EQ(status.refused_messages.at("invalid"), 1u);
  EXPECT_EQ(status.refused_profiles.at("too_old"), 1u);
  EXPECT_EQ(status.windows_by_service.at("shop"), 1u);
}

TEST(controller, a_node_that_joins_late_gets_its_tasks) {
  Site site("root");
  ASSERT_TRUE(site.controller->apply_task("task: a\nservice: shop\nnodes: [\"web-*\"]\n", "a.yaml").ok());
  const AgentReport report{.node = "web-9", .sender = std::string(16, '\1')};
  EXPECT_EQ(site.controller->report(report)->tasks.size(), 1u);
  EXPECT_EQ(site.controller->report(report)->rate_factor, 1);
  ASSERT_EQ(site.controller->nodes().size(), 1u);
  ASSERT_TRUE(site.controller->stop_task("a").ok());
  EXPECT_TRUE(site.controller->report(report)->tasks.empty());
}

TEST(controller, a_service_that_is_not_there_is_answered_with_those_that_are) {
  Site site("root");
  const auto nothing = site.controller->profile(site.everything("shop"));
  ASSERT_FALSE(nothing.ok());
  EXPECT_EQ(nothing.error().hint, "no profiles have arrived yet");
  ASSERT_TRUE(send(*site.controller, window(1, "main;f 3\n")).ok());
  const auto missing = site.controller->profile(site.everything("shopp"));
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::NotFound);
  EXPECT_EQ(missing.error().hint, "did you mean shop?");
  ServiceQuery kind = site.everything();
  kind.kind = "wall";
  EXPECT_EQ(site.controller->profile(kind).error().hint, "there is cpu");
}

TEST(controller, windows_of_one_stretch_count_by_their_samples) {
  Site site("root");
  SentWindow high = window(1, "f 600\ng 400\n");  // a hundred samples of 10
  high.attributes[std::string(kStretch)] = "4";
  high.period_ns = 10;
  SentWindow low = window(2, "f 500\ng 500\n", "web-1", kStart + 10 * kSecond);  // ten of 100
  low.attributes[std::string(kStretch)] = "4";
  low.period_ns = 100;
  ASSERT_TRUE(send(*site.controller, high).ok());
  ASSERT_TRUE(send(*site.controller, low).ok());
  const Profile pooled = site.controller->profile(site.everything())->profile;
  EXPECT_EQ(share_of(pooled, "f").total, 2000);
  EXPECT_NEAR(share_of(pooled, "f").share, (0.6 * 100 + 0.5 * 10) / 110, 0.001);
}

// Two instances, a change in the fourth window; what is asked for is the time of a window, and its stretch is known.
TEST(controller, a_window_is_told_by_all_of_its_stretch) {
  Site site("root");
  const auto send_window = [&](int number, int stretch, const std::string& stacks, int64_t period) {
    for (const std::string instance : {"a", "b"}) {
      SentWindow sent = window(2 * number + (instance == "a" ? 1 : 2), stacks, "web-1", kStart + number * 10 * kSecond);
      sent.attributes[std::string(kStretch)] = std::to_string(stretch);
      sent.attributes[std::string(kServiceInstance)] = instance;
      sent.period_ns = period;
      ASSERT_TRUE(send(*site.controller, sent).ok());
    }
  };
  send_window(0, 0, "f 9000\ng 1000\n", 10);  // a thousand samples
  send_window(1, 0, "f 6000\ng 4000\n", 1000);
  send_window(2, 0, "f 9000\ng 1000\n", 1000);
  send_window(3, 2, "f 10000\n", 1000);  // the change: more of f than either side has
  send_window(4, 4, "f 1000\ng 9000\n", 10);
  send_window(5, 4, "f 4000\ng 6000\n", 1000);
  const auto share = [&](int number) {
    ServiceQuery query = site.everything();
    query.from_ns = kStart + number * 10 * kSecond;
    query.to_ns = query.from_ns + 10 * kSecond;
    const store::Merged merged = *site.controller->profile(query);
    EXPECT_EQ(merged.coverage.windows, 2u);
    EXPECT_EQ(merged.coverage.from_ns, query.from_ns);
    EXPECT_EQ(merged.coverage.to_ns, query.to_ns);
    EXPECT_EQ(merged.profile.header.time_ns, query.from_ns);
    EXPECT_TRUE(has_fact(merged.profile, "windows_around", "10"));
    return share_of(merged.profile, "f");
  };
  EXPECT_NEAR(share(0).total, 20'000, 1);
  EXPECT_NEAR(share(1).share, (0.9 * 1000 + 0.6 * 10 + 0.9 * 10) / 1020, 0.001);
  EXPECT_NEAR(share(3).share, 0.9, 0.01) << "as much as was before, which is known better than by ten samples";
  EXPECT_NEAR(share(5).share, (0.1 * 1000 + 0.4 * 10) / 1010, 0.001);
  EXPECT_NEAR(share(5).total, 20'000, 1);
}

// The window before the one that shows a change, of which its own samples say nothing for sure.
TEST(controller, a_change_began_when_the_agent_says) {
  Site site("root");
  const auto send_window = [&](int number, const std::string& stretch, const std::string& stacks, int64_t period) {
    for (const std::string instance : {"a", "b"}) {
      SentWindow sent = window(2 * number + (instance == "a" ? 1 : 2), stacks, "web-1", kStart + number * 10 * kSecond);
      sent.attributes[std::string(kStretch)] = stretch;
      sent.attributes[std::string(kServiceInstance)] = instance;
      sent.period_ns = period;
      ASSERT_TRUE(send(*site.controller, sent).ok());
    }
  };
  send_window(0, "0", "f 9000\ng 1000\n", 10);
  send_window(1, "0", "f 9000\ng 1000\n", 1000);
  send_window(2, "3-" + std::to_string((kStart + 15 * kSecond) / 1'000'000), "f 1000\ng 9000\n", 1000);
  send_window(3, "4", "f 1000\ng 9000\n", 10);
  ServiceQuery query = site.everything();
  query.from_ns = kStart + 10 * kSecond;
  query.to_ns = query.from_ns + 10 * kSecond;
  EXPECT_NEAR(share_of(site.controller->profile(query)->profile, "f").share, 0.5, 0.01);
}

TEST(controller, agents_reach_it_over_the_network) {
  Site site("root");
  const auto server = GrpcServer::start({.access = Access("a token for this test")}, grpc_methods(*site.controller),
                                        site.controller->door());
  ASSERT_TRUE(server.ok());
  const auto link =
      open_grpc_link({.address = "127.0.0.1:" + std::to_string((*server)->port()), .token = "a token for this test"});
  EXPECT_TRUE((*link)->report({.node = "web-1", .sender = std::string(16, '\1')}).ok());
  EXPECT_TRUE((*link)->send(test::otlp_bytes(window(1, "main;f 3\n"))).ok());
  EXPECT_EQ((*link)->send("nonsense").error().code, ErrorCode::InvalidInput);
  EXPECT_EQ(site.text(), "main;f 3\n");
  const auto stranger = open_grpc_link({.address = "127.0.0.1:" + std::to_string((*server)->port())});
  EXPECT_EQ((*stranger)->send("").error().code, ErrorCode::PermissionDenied);
}

TEST(controller, drops_nothing_because_its_clock_was_wrong_and_tells_it) {
  constexpr int64_t kDay = 24 * 60 * kMinute;
  for (const bool is_wrong_at_start : {true, false}) {
    Site site = Site::on_disk("here");
    ASSERT_TRUE(send(*site.controller, window(1, "main;work 5")).ok());
    site.controller->keep_up();
    if (is_wrong_at_start) site.controller.reset();
    *site.set_by = 400 * kDay;
    if (is_wrong_at_start) site.open(nullptr);
    for (int i = 0; i < 3; ++i) {
      *site.now += 11 * kMinute;
      site.controller->keep_up();
    }
    EXPECT_EQ(site.text(), "main;work 5\n");
    const auto wrong = site.controller->status();
    EXPECT_EQ(wrong->dropped_windows + wrong->dropped_files, 0u);
    EXPECT_GE(wrong->clock_jumps, 1u);
    EXPECT_GT(wrong->clock_ahead_ns, 399 * kDay);
    ASSERT_FALSE(wrong->problems.empty());
    EXPECT_NE(wrong->problems.back().find("400.0 days"), std::string::npos) << wrong->problems.back();
    // Who sends with a clock that is right is taken at its word, and so is who does not.
    ASSERT_EQ(send(*site.controller, window(2, "main;work 5", "web-1", kStart + 30 * kMinute))->rejected_profiles, 0);
    ASSERT_EQ(send(*site.controller, window(3, "main;far 1", "web-1", kStart + 400 * kDay))->rejected_profiles, 0);
    *site.now += 11 * kMinute;
    site.controller->keep_up();
    EXPECT_EQ(site.text(), "main;work 10\n");
    // And when it is right again everything goes on as it should.
    *site.set_by = 0;
    const uint64_t compactions = site.controller->status()->compactions;
    *site.now += 11 * kMinute;
    site.controller->keep_up();
    EXPECT_GT(site.controller->status()->compactions, compactions);
    *site.now += 400 * kDay;
    site.controller->keep_up();
    EXPECT_GE(site.controller->status()->dropped_files, 1u);
  }
}

}  // namespace atys::fleet

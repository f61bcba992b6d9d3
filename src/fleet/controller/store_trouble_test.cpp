// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>

#include "fleet/controller/controller.h"
#include "fleet/spool_sender.h"
#include "fleet/window_labels.h"
#include "store/embedded/embedded_store.h"
#include "support/fleet_windows.h"
#include "support/forwarding_store.h"
#include "support/scratch_folder.h"

namespace atys::fleet {

namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kDay = 86'400 * kSecond;
constexpr int64_t kStart = 1'790'000'040 * kSecond;

// A store whose disk a test can break.
class Breakable final : public test::ForwardingStore {
 public:
  explicit Breakable(const std::string& folder) : ForwardingStore(store::open_embedded_store({.folder = folder}).take()) {}

  Result<store::Appended> append(std::span<const store::Window> windows) override {
    TRY(check());
    return ForwardingStore::append(windows);
  }
  Result<store::Compacted> compact(int64_t now_ns) override {
    ++compactions;
    return ForwardingStore::compact(now_ns);
  }
  Result<store::Dropped> retain(const store::RetentionPolicy&, int64_t) override { return store::Dropped{}; }
  Result<store::Holdings> holdings() override {
    TRY(check());
    return ForwardingStore::holdings();
  }
  Result<store::Health> health(bool check_integrity) override {
    TRY(check());
    return ForwardingStore::health(check_integrity);
  }

  Result<> check() const { return trouble == nullptr ? Result<>() : Result<>(*trouble); }

  std::unique_ptr<Error> trouble;
  std::atomic<int> compactions = 0;
};

class Troubled : public testing::Test {
 protected:
  Troubled() {
    auto made = std::make_unique<Breakable>(folder.path() + "/store");
    store = made.get();
    controller = Controller::open({.folder = folder.path(),
                                   .name = "site",
                                   .now_ns = [this] { return now.load(); },
                                   .running_ns = [this] { return steady.load(); }},
                                  std::move(made))
                     .take();
  }
  // As an agent makes them.
  static std::string window(int sequence, int64_t start_ns = kStart) {
    return test::otlp_bytes({.stacks = "main;f 3\n",
                             .attributes = {{std::string(kServiceName), "shop"},
                                            {std::string(kHostName), "web-1"},
                                            {std::string(kSender), "web-10011223344556677"},
                                            {std::string(kSequence), std::to_string(sequence)}},
                             .start_ns = start_ns});
  }
  // Of somebody else.
  static std::string foreign_window(int64_t start_ns) {
    return test::otlp_bytes(
        {.stacks = "main;f 3\n", .attributes = {{std::string(kServiceName), "other"}}, .start_ns = start_ns});
  }
  Result<ExportResponse> receive(const std::string& otlp) { return controller->receive(otlp, OtlpEncoding::Protobuf); }
  void report(int64_t agents_now) {
    EXPECT_TRUE(
        controller->report({.node = "web-1", .sender = std::string(16, '1'), .now_ns = static_cast<uint64_t>(agents_now)})
            .ok());
  }

  test::ScratchFolder folder;
  std::atomic<int64_t> now = kStart, steady = 1;
  Breakable* store = nullptr;
  std::unique_ptr<Controller> controller;
};

}  // namespace

TEST_F(Troubled, whatever_is_wrong_with_the_store_windows_are_to_come_again) {
  test::ScratchFolder spool_folder;
  Spool spool = Spool::open(spool_folder.path(), 1 << 20).take();
  const auto link = open_local_link(*controller);
  SpoolSender sender(spool, *link);
  const ErrorCode codes[] = {ErrorCode::ResourceExhausted, ErrorCode::InvalidInput, ErrorCode::Unsupported,
                             ErrorCode::PermissionDenied,  ErrorCode::NotFound,     ErrorCode::Unavailable,
                             ErrorCode::Internal};
  uint64_t second = 0;
  for (const ErrorCode code : codes) {
    EXPECT_TRUE(spool.put(window(static_cast<int>(spool.state().windows) + 1)).ok());
    store->trouble = std::make_unique<Error>(fail(code, "the disk is full of sand"));
    const auto response = receive(window(1));
    ASSERT_FALSE(response.ok());
    EXPECT_EQ(response.error().code, ErrorCode::Unavailable) << to_string(code);
    EXPECT_NE(response.error().message.find("sand"), std::string::npos);
    (void)sender.send((second += 100) * kSecond, [] { return true; }).ok();
  }
  EXPECT_EQ(spool.state().dropped, 0u);
  EXPECT_EQ(spool.state().windows, std::size(codes));
  const auto status = controller->status();
  ASSERT_TRUE(status.ok()) << "it is told when it is wrong";
  EXPECT_EQ(status->store_trouble, "the disk is full of sand");
  EXPECT_GE(status->refused_messages.at("store"), std::size(codes));

  store->trouble.reset();
  for (int i = 0; i < 10; ++i) (void)sender.send((second += 100) * kSecond, [] { return true; }).ok();
  EXPECT_EQ(spool.state().sent, std::size(codes));
  EXPECT_EQ(controller->status()->windows, std::size(codes));
  EXPECT_EQ(controller->status()->store_trouble, "");
}

TEST_F(Troubled, an_agents_window_is_not_refused_because_of_a_clock) {
  // Nothing is known of its clock yet, or ours may be the one that is wrong.
  for (const int64_t start : {kStart - 4 * kDay, kStart + 2 * 3600 * kSecond, kStart + 400 * kDay}) {
    const auto response = receive(window(1, start));
    ASSERT_FALSE(response.ok());
    EXPECT_EQ(response.error().code, ErrorCode::Unavailable);
  }
  report(now - 400 * kDay);
  EXPECT_EQ(receive(window(1, kStart - 400 * kDay)).error().code, ErrorCode::Unavailable);
  // Both agree: it waited in a spool for longer than windows are kept.
  report(now + kSecond);
  const auto response = receive(window(1, kStart - 4 * kDay));
  ASSERT_TRUE(response.ok());
  EXPECT_EQ(response->rejected_profiles, 1);
  EXPECT_EQ(reason_to_drop(fail(ErrorCode::InvalidInput, response->error_message)), DropReason::TooOld);
  EXPECT_EQ(controller->status()->refused_profiles.at("too_old"), 1u);
}

TEST_F(Troubled, strangers_are_told_at_once_under_the_true_reason) {
  EXPECT_EQ(receive(foreign_window(kStart - 4 * kDay))->rejected_profiles, 1);
  EXPECT_EQ(receive(foreign_window(kStart + 2 * 3600 * kSecond))->rejected_profiles, 1);
  const auto refused = controller->status()->refused_profiles;
  EXPECT_EQ(refused.at("too_old"), 1u);
  EXPECT_EQ(refused.at("future"), 1u);
}

TEST_F(Troubled, reports_are_answered_with_the_time) {
  const auto orders = controller->report({.node = "web-1", .sender = std::string(16, '1')});
  ASSERT_TRUE(orders.ok());
  EXPECT_EQ(orders->now_ns, static_cast<uint64_t>(kStart));
}

TEST_F(Troubled, upkeep_goes_by_a_clock_that_nobody_sets) {
  const auto rounds = [&] {
    controller->keep_up();
    return store->compactions.load();
  };
  const int first = rounds();
  now = kStart + 400 * kDay;
  EXPECT_EQ(rounds(), first) << "a clock that jumps is no reason for work";
  now = kStart;
  steady = steady + 31 * kSecond;
  EXPECT_EQ(rounds(), first + 1) << "nor for none, when it is right again";
}

}  // namespace atys::fleet

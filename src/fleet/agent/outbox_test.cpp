// SPDX-License-Identifier: Apache-2.0
#include "fleet/agent/outbox.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <string>
#include <vector>

#include "base/clock.h"
#include "support/scratch_folder.h"

namespace atys::fleet {

namespace {

// A controller that takes everything.
class Taking final : public ControllerLink {
 public:
  Result<Orders> report(const AgentReport&) override { return Orders{}; }
  Result<> send(const std::string& otlp) override {
    const std::lock_guard lock(mutex_);
    taken_.push_back(otlp);
    came_.notify_all();
    return {};
  }
  // Returns when it has so many.
  void wait_for(size_t windows) {
    std::unique_lock lock(mutex_);
    came_.wait(lock, [&] { return taken_.size() >= windows; });
  }
  size_t windows() {
    const std::lock_guard lock(mutex_);
    return taken_.size();
  }

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  std::vector<std::string> taken_;
};

Profile window() {
  Profile profile;
  profile.add_value_type("samples", "count");
  profile.add_value_type("cpu", "nanoseconds");
  profile.header.time_ns = static_cast<int64_t>(clock_ns(CLOCK_REALTIME));
  profile.header.duration_ns = 1'000'000'000;
  return profile;
}

class AnOutbox : public testing::Test {
 protected:
  Spool spool() { return Spool::open(folder.path(), 1 << 20).take(); }
  // A controller that does not tell its time: ours is taken.
  static void tell_time(Outbox& outbox) { outbox.note_time(read_clocks(), read_clocks(), Orders{}); }

  test::ScratchFolder folder;
  Taking controller;
};

}  // namespace

TEST_F(AnOutbox, windows_wait_until_the_controller_has_told_its_time) {
  Outbox outbox(spool(), &controller);
  outbox.put(window());
  EXPECT_EQ(outbox.state().spool.windows, 1u);
  EXPECT_GT(outbox.state().bytes_recorded, 0u);
  outbox.start();
  tell_time(outbox);
  controller.wait_for(1);
  outbox.put(window());
  controller.wait_for(2);
  outbox.end();
  EXPECT_EQ(outbox.state().spool.sent, 2u);
  EXPECT_EQ(outbox.state().trouble, "");
}

TEST_F(AnOutbox, the_end_sends_what_was_put_in_last) {
  Outbox outbox(spool(), &controller);
  tell_time(outbox);
  outbox.start();
  outbox.end_soon();
  outbox.put(window());
  outbox.end();
  EXPECT_EQ(controller.windows(), 1u);
  EXPECT_EQ(outbox.state().spool.windows, 0u);
}

TEST_F(AnOutbox, what_no_time_was_told_for_stays_in_the_spool_and_says_why) {
  {
    Outbox outbox(spool(), &controller);
    outbox.put(window());
    outbox.start();
    outbox.end();
    EXPECT_NE(outbox.state().trouble.find("has not told its time"), std::string::npos) << outbox.state().trouble;
  }
  EXPECT_EQ(controller.windows(), 0u);
  EXPECT_EQ(spool().state().windows, 1u);
}

TEST_F(AnOutbox, alone_there_is_nobody_to_keep_windows_for) {
  Outbox outbox(spool(), nullptr);
  outbox.start();
  outbox.put(window());
  outbox.end();
  EXPECT_EQ(outbox.state().spool.windows, 0u);
}

// Runners put windows in while they are sent and while somebody looks.
TEST_F(AnOutbox, many_threads_use_it_at_once) {
  Outbox outbox(spool(), &controller);
  outbox.start();
  constexpr size_t kEach = 20;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] {
      for (size_t j = 0; j < kEach; ++j) outbox.put(window());
    });
  threads.emplace_back([&] {
    for (size_t j = 0; j < kEach; ++j) tell_time(outbox);
  });
  threads.emplace_back([&] {
    while (controller.windows() < 3 * kEach) EXPECT_EQ(outbox.state().spool.dropped, 0u);
  });
  for (std::thread& thread : threads) thread.join();
  outbox.end();
  EXPECT_EQ(outbox.state().spool.sent, 3 * kEach);
}

}  // namespace atys::fleet

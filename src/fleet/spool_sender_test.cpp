// SPDX-License-Identifier: Apache-2.0
#include "fleet/spool_sender.h"

#include <gtest/gtest.h>

#include "support/scratch_folder.h"

namespace atys::fleet {

namespace {

constexpr uint64_t kSecond = 1'000'000'000;

class Scripted final : public ControllerLink {
 public:
  Result<Orders> report(const AgentReport&) override { return Orders{}; }
  Result<> send(const std::string& otlp) override {
    ++tries;
    if (refusal != nullptr && (only.empty() || otlp == only)) return *refusal;
    taken.push_back(otlp);
    return {};
  }

  std::unique_ptr<Error> refusal;
  std::string only;  // the window that is refused; empty: all
  std::vector<std::string> taken;
  int tries = 0;
};

class Sending : public testing::Test {
 protected:
  Sending() {
    for (const char* window : {"one", "two", "three"}) spool.put(window);
  }
  void refuse(ErrorCode code) { link.refusal = std::make_unique<Error>(fail(code, "no")); }
  Result<> send(uint64_t second) {
    return sender.send(second * kSecond, [] { return true; });
  }

  test::ScratchFolder folder;
  Spool spool = Spool::open(folder.path(), 1 << 20).take();
  Scripted link;
  SpoolSender sender{spool, link};
};

}  // namespace

TEST_F(Sending, sends_everything_in_order) {
  EXPECT_TRUE(send(1).ok());
  EXPECT_EQ(link.taken, (std::vector<std::string>{"one", "two", "three"}));
  EXPECT_EQ(spool.state().sent, 3u);
}

TEST_F(Sending, keeps_windows_while_nobody_is_there_and_tries_less_and_less_often) {
  refuse(ErrorCode::Unavailable);
  for (uint64_t second = 1; second <= 600; ++second) (void)send(second).ok();
  EXPECT_EQ(spool.state().windows, 3u);
  EXPECT_GT(link.tries, 600 / 30);
  EXPECT_LT(link.tries, 40);
  link.refusal.reset();
  for (uint64_t second = 601; second <= 640; ++second) (void)send(second).ok();
  EXPECT_EQ(link.taken.size(), 3u);
  EXPECT_EQ(spool.state().dropped, 0u);
}

TEST_F(Sending, a_wrong_token_loses_nothing) {
  refuse(ErrorCode::PermissionDenied);
  const Result<> sent = send(1);
  ASSERT_FALSE(sent.ok());
  EXPECT_EQ(sent.error().message, "no");
  EXPECT_EQ(spool.state().windows, 3u);
  link.refusal.reset();
  EXPECT_TRUE(send(60).ok());
  EXPECT_EQ(link.taken.size(), 3u);
}

TEST_F(Sending, a_window_that_is_never_taken_does_not_hold_up_the_others) {
  refuse(ErrorCode::InvalidInput);
  link.only = "two";
  EXPECT_FALSE(send(1).ok());
  EXPECT_EQ(link.taken, (std::vector<std::string>{"one", "three"}));
  EXPECT_EQ(spool.state().dropped, 1u);
  EXPECT_EQ(spool.state().windows, 0u);
}

}  // namespace atys::fleet

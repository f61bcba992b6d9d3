// SPDX-License-Identifier: Apache-2.0
#include "fleet/spool_sender.h"

#include <gtest/gtest.h>

#include "fleet/wire/export_response.h"
#include "support/scratch_folder.h"

namespace atys::fleet {

namespace {

constexpr uint64_t kSecond = 1'000'000'000;

class Scripted final : public ControllerLink {
 public:
  Result<Orders> report(const AgentReport&) override { return Orders{}; }
  Result<> send(const std::string& otlp) override {
    ++tries;
    if (refusal != nullptr && (only.empty() || otlp.find(only) != std::string::npos)) return *refusal;
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
    for (const char* window : {"one", "two", "three"}) EXPECT_TRUE(spool.put(window).ok());
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

TEST_F(Sending, nothing_but_a_fault_of_the_window_loses_it) {
  for (const ErrorCode code : {ErrorCode::Unavailable, ErrorCode::PermissionDenied, ErrorCode::Unsupported,
                               ErrorCode::NotFound, ErrorCode::Internal}) {
    EXPECT_FALSE(reason_to_drop(fail(code, "no"))) << to_string(code);
    refuse(code);
    (void)send(1000 * static_cast<uint64_t>(link.tries + 1)).ok();
  }
  EXPECT_EQ(spool.state().windows, 3u);
  EXPECT_EQ(spool.state().dropped, 0u);
  EXPECT_EQ(reason_to_drop(fail(ErrorCode::InvalidInput, "no profile")), DropReason::Refused);
  EXPECT_EQ(reason_to_drop(fail(ErrorCode::InvalidInput, "it is " + std::string(kTooOld))), DropReason::TooOld);
  EXPECT_EQ(reason_to_drop(fail(ErrorCode::ResourceExhausted, "64 MiB")), DropReason::TooLarge);
}

TEST_F(Sending, windows_that_have_to_wait_do_not_hold_up_the_others) {
  for (int i = 0; i < 30; ++i) EXPECT_TRUE(spool.put("yesterday " + std::to_string(i)).ok());
  for (int i = 0; i < 30; ++i) EXPECT_TRUE(spool.put("today " + std::to_string(i)).ok());
  refuse(ErrorCode::Unavailable);
  link.only = "yesterday";
  for (uint64_t second = 1; second <= 600; ++second) (void)send(second).ok();
  EXPECT_EQ(link.taken.size(), 33u);
  EXPECT_EQ(spool.state().windows, 30u);
  EXPECT_LT(link.tries, 33 + 600 / 30 * 9 + 60) << "they are asked for again and again";
  link.refusal.reset();
  for (uint64_t second = 601; second <= 700; ++second) (void)send(second).ok();
  EXPECT_EQ(spool.state().sent, 63u);
  EXPECT_EQ(spool.state().dropped, 0u);
}

TEST_F(Sending, times_are_settled_on_disk_before_the_first_attempt_and_not_again) {
  const ClockStamp stamp{"ff", 1};
  EXPECT_TRUE(spool.put("four", stamp).ok());
  bool knows_time = false;
  int asked = 0;
  SpoolSender settling(spool, link, [&](const Spool::Entry& entry) -> Result<std::optional<std::string>> {
    ++asked;
    if (!knows_time) return fail(ErrorCode::Unavailable, "what time is it?");
    return std::optional(entry.window + " shifted");
  });
  const auto everything = [] { return true; };
  (void)settling.send(1 * kSecond, everything).ok();
  EXPECT_EQ(link.taken, (std::vector<std::string>{"one", "two", "three"}));
  EXPECT_EQ(spool.state().windows, 1u);
  knows_time = true;
  refuse(ErrorCode::Unavailable);  // it does not arrive, or the answer does not
  (void)settling.send(100 * kSecond, everything).ok();
  const int asked_so_far = asked;
  EXPECT_EQ((*Spool::open(folder.path(), 1 << 20).take().oldest())->window, "four shifted");
  link.refusal.reset();
  for (uint64_t second = 200; second < 300; ++second) (void)settling.send(second * kSecond, everything).ok();
  EXPECT_EQ(link.taken.back(), "four shifted");
  EXPECT_EQ(asked, asked_so_far);
}

}  // namespace atys::fleet

// SPDX-License-Identifier: Apache-2.0
#include "verbs/recording/charged_call.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "verbs/ledger.h"

namespace atys::verbs {
namespace {

class ChargedCalls : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "charged-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    home_ = pattern;
    ::setenv("ATYS_HOME", home_.c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("ATYS_HOME");
    std::filesystem::remove_all(home_);
  }

  static LedgerChoice make(const budget::Charge& in_all) {
    return {.id = ledger({.action = LedgerAction::New, .budget = {.in_all = in_all}})->state.id};
  }
  static budget::LedgerState state(const LedgerChoice& choice) { return ledger({.id = choice.id})->state; }

  std::string home_;
};

budget::Charge only(uint64_t budget::Charge::*amount, uint64_t limit) {
  budget::Charge charge = budget::kNoLimit;
  charge.*amount = limit;
  return charge;
}

CaptureRequest ten_seconds() {
  CaptureRequest request;
  request.pids = {1};
  request.duration_ns = 10 * kSecond;
  return request;
}

TEST_F(ChargedCalls, without_a_ledger_nothing_is_lowered_and_nothing_charged) {
  CaptureRequest request = ten_seconds();
  const auto call = charge(LedgerChoice{}, request);
  ASSERT_TRUE(call.ok());
  EXPECT_FALSE(call->is_charged());
  EXPECT_EQ(request.duration_ns, 10 * kSecond);
}

TEST_F(ChargedCalls, a_recording_is_as_long_as_what_is_left_and_says_so) {
  const LedgerChoice choice = make(only(&budget::Charge::profiled_ns, 2 * kSecond));
  CaptureRequest request = ten_seconds();
  auto call = charge(choice, request);
  ASSERT_TRUE(call.ok());
  EXPECT_EQ(request.duration_ns, 2 * kSecond);
  ASSERT_EQ(call->longest_report().lowered.size(), 1u);
  EXPECT_EQ(call->longest_report().lowered[0],
            "recording for 2.0 s at most instead of 10 s: that is what the profiled time left allows");
}

TEST_F(ChargedCalls, a_command_is_recorded_for_what_is_left_at_most) {
  const LedgerChoice choice = make(only(&budget::Charge::profiled_ns, 2 * kSecond));
  CaptureRequest request;
  request.command = {"true"};
  ASSERT_TRUE(charge(choice, request).ok());
  EXPECT_EQ(request.duration_ns, 2 * kSecond);
}

TEST_F(ChargedCalls, who_insists_is_refused_and_told_what_would_fit) {
  LedgerChoice choice = make(only(&budget::Charge::profiled_ns, 2 * kSecond));
  choice.all_or_nothing = true;
  CaptureRequest request = ten_seconds();
  const auto call = charge(choice, request);
  ASSERT_FALSE(call.ok());
  EXPECT_EQ(call.error().code, ErrorCode::BudgetSpent);
  EXPECT_EQ(call.error().hint, "left: profiled time 2.0 s; a capture of 2000ms would fit: --duration 2000ms");
}

TEST_F(ChargedCalls, little_wall_time_and_little_overhead_make_recordings_smaller_never_larger) {
  for (const auto amount : {&budget::Charge::wall_ns, &budget::Charge::overhead_ns})
    for (const uint64_t limit : {kSecond / 2, kSecond, 3 * kSecond, 100 * kSecond}) {
      CaptureRequest request = ten_seconds();
      const auto call = charge(make(only(amount, limit)), request);
      ASSERT_TRUE(call.ok()) << limit;
      EXPECT_LE(request.duration_ns, 10 * kSecond);
      EXPECT_LE(overhead_cap(request), 0.01);
      EXPECT_GT(request.duration_ns, 0u);
      if (amount == &budget::Charge::wall_ns) {
        EXPECT_LE(request.duration_ns, limit);
      }
    }
}

TEST_F(ChargedCalls, an_answer_is_as_long_as_what_is_left) {
  const LedgerChoice choice = make(only(&budget::Charge::tokens, 1000));
  View view;
  auto call = charge(choice, "summary", view);
  ASSERT_TRUE(call.ok());
  ASSERT_TRUE(view.max_tokens.has_value());
  EXPECT_EQ(*view.max_tokens, 1000u);
  EXPECT_EQ(call->settle(700)->left.tokens, 300u);
  View large{.max_tokens = 5000};
  ASSERT_TRUE(charge(choice, "summary", large).ok());
  EXPECT_EQ(*large.max_tokens, 300u);
}

TEST_F(ChargedCalls, a_ledger_without_a_limit_on_tokens_bounds_no_answer) {
  View view;
  ASSERT_TRUE(charge(make(only(&budget::Charge::captures, 1)), "summary", view).ok());
  EXPECT_FALSE(view.max_tokens.has_value());
}

TEST_F(ChargedCalls, a_call_that_failed_is_charged_with_its_time_and_no_more) {
  const LedgerChoice choice = make(
      {.captures = 5, .profiled_ns = 60 * kSecond, .wall_ns = 60 * kSecond, .overhead_ns = 60 * kSecond, .tokens = 1000});
  {
    CaptureRequest request = ten_seconds();
    ASSERT_TRUE(charge(choice, request).ok());
  }
  const budget::LedgerState after = state(choice);
  EXPECT_EQ(after.spent.captures, 0u);
  EXPECT_EQ(after.spent.tokens, 0u);
  EXPECT_GT(after.spent.wall_ns, 0u);
  EXPECT_EQ(after.calls, 1u);
  EXPECT_EQ(after.reserved, budget::Charge{});
}

TEST_F(ChargedCalls, a_recording_that_failed_later_was_a_capture) {
  const LedgerChoice choice = make(
      {.captures = 5, .profiled_ns = 60 * kSecond, .wall_ns = 60 * kSecond, .overhead_ns = 60 * kSecond, .tokens = 1000});
  bool is_told = false;
  {
    CaptureRequest request = ten_seconds();
    request.on_progress = [&](double, double) { is_told = true; };
    const auto call = charge(choice, request);
    ASSERT_TRUE(call.ok());
    request.on_progress(3.5, 10);
  }
  EXPECT_TRUE(is_told);
  EXPECT_EQ(state(choice).spent.captures, 1u);
  EXPECT_EQ(state(choice).spent.profiled_ns, 3'500'000'000u);
}

TEST_F(ChargedCalls, who_has_to_wait_for_others_is_told_so) {
  const LedgerChoice choice = make(only(&budget::Charge::tokens, 1000));
  View view;
  const auto first = charge(choice, "summary", view);
  ASSERT_TRUE(first.ok());
  View other;
  const auto second = charge(choice, "summary", other);
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.error().hint.find("try again"), std::string::npos) << second.error().hint;
}

}  // namespace
}  // namespace atys::verbs

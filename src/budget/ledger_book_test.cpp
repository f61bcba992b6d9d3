// SPDX-License-Identifier: Apache-2.0
#include "budget/ledger_book.h"

#include <gtest/gtest.h>

namespace atys::budget {
namespace {

LedgerBook book_with(const Budget& budget) {
  LedgerBook book;
  EXPECT_TRUE(book.apply({.kind = RecordKind::New, .budget = budget}).ok());
  return book;
}

uint64_t reserve(LedgerBook& book, const Charge& charge) {
  const uint64_t number = book.next_number();
  EXPECT_TRUE(book.apply({.kind = RecordKind::Reserve, .number = number, .charge = charge}).ok());
  return number;
}

Budget of_tokens(uint64_t tokens) {
  Budget budget;
  budget.in_all.tokens = tokens;
  return budget;
}

TEST(ledger_book, what_is_reserved_is_not_left_and_what_was_not_used_comes_back) {
  LedgerBook book = book_with(of_tokens(1000));
  const uint64_t call = reserve(book, {.tokens = 400});
  EXPECT_EQ(book.state().left.tokens, 600u);
  EXPECT_TRUE(book.apply(book.settlement(call, {.tokens = 150})).ok());
  EXPECT_EQ(book.state().left.tokens, 850u);
  EXPECT_EQ(book.state().spent.tokens, 150u);
  EXPECT_EQ(book.state().reserved.tokens, 0u);
}

TEST(ledger_book, grants_what_is_left_where_that_is_still_of_use) {
  LedgerBook book = book_with(of_tokens(1000));
  reserve(book, {.tokens = 700});
  EXPECT_EQ(book.grant({.tokens = 500}, {.tokens = 200})->tokens, 300u);
  EXPECT_EQ(book.grant({.tokens = 500}, {.tokens = 301}).error().code, ErrorCode::BudgetSpent);
}

TEST(ledger_book, a_call_never_gets_more_than_a_call_may_have) {
  Budget budget = of_tokens(1000);
  budget.per_call.tokens = 250;
  const LedgerBook book = book_with(budget);
  EXPECT_EQ(book.grant({.tokens = 500}, {})->tokens, 250u);
  const auto refused = book.grant({.tokens = 500}, {.tokens = 500});
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("a call may use 250"), std::string::npos) << refused.error().message;
}

TEST(ledger_book, a_refusal_names_the_resource_and_what_is_left_of_it) {
  Budget budget;
  budget.in_all.captures = 2;
  LedgerBook book = book_with(budget);
  reserve(book, {.captures = 2});
  EXPECT_EQ(book.grant({.captures = 1}, {.captures = 1}).error().message,
            "the budget is spent: captures: 0 of 2 left, this needs 1");
}

TEST(ledger_book, the_reservation_of_a_dead_caller_counts_as_spent) {
  LedgerBook book = book_with(of_tokens(1000));
  const uint64_t call = reserve(book, {.tokens = 400});
  EXPECT_TRUE(book.apply({.kind = RecordKind::Lapse, .number = call}).ok());
  EXPECT_EQ(book.state().spent.tokens, 400u);
  EXPECT_EQ(book.state().left.tokens, 600u);
  EXPECT_EQ(book.state().calls_lost, 1u);
}

TEST(ledger_book, what_was_used_beyond_the_reservation_is_charged_as_far_as_there_is_budget_and_the_rest_is_told) {
  Budget budget;
  budget.in_all.wall_ns = 1000;
  LedgerBook book = book_with(budget);
  const uint64_t call = reserve(book, {.wall_ns = 400});
  reserve(book, {.wall_ns = 500});
  const LedgerRecord record = book.settlement(call, {.wall_ns = 650});
  EXPECT_EQ(record.charge.wall_ns, 500u);
  EXPECT_EQ(record.overrun.wall_ns, 150u);
  EXPECT_TRUE(book.apply(record).ok());
  EXPECT_EQ(book.state().left.wall_ns, 0u);
  EXPECT_EQ(book.state().overrun.wall_ns, 150u);
}

TEST(ledger_book, what_has_no_limit_is_counted_and_never_refused) {
  LedgerBook book = book_with({});
  const Charge all = *book.grant(kNoLimit, {.tokens = 1});
  EXPECT_EQ(all, kNoLimit);
  const uint64_t lost = reserve(book, all);
  const uint64_t call = reserve(book, all);
  EXPECT_TRUE(book.apply(book.settlement(call, {.captures = 1, .tokens = 77})).ok());
  EXPECT_TRUE(book.apply({.kind = RecordKind::Lapse, .number = lost}).ok());
  EXPECT_EQ(book.state().spent, (Charge{.captures = 1, .tokens = 77}));
  EXPECT_EQ(book.state().left, kNoLimit);
}

TEST(ledger_book, a_closed_ledger_grants_nothing_and_lets_calls_under_way_settle) {
  LedgerBook book = book_with(of_tokens(1000));
  const uint64_t call = reserve(book, {.tokens = 100});
  EXPECT_TRUE(book.apply({.kind = RecordKind::Close}).ok());
  EXPECT_EQ(book.grant({.tokens = 1}, {}).error().code, ErrorCode::BudgetSpent);
  EXPECT_TRUE(book.apply(book.settlement(call, {.tokens = 60})).ok());
  EXPECT_EQ(book.state().spent.tokens, 60u);
}

TEST(ledger_book, refuses_records_that_cannot_follow) {
  const LedgerRecord begin{.kind = RecordKind::New, .budget = of_tokens(100)};
  EXPECT_FALSE(LedgerBook().apply({.kind = RecordKind::Close}).ok()) << "before it begins";
  LedgerBook book = book_with(of_tokens(100));
  EXPECT_FALSE(book.apply(begin).ok()) << "begins twice";
  EXPECT_FALSE(book.apply({.kind = RecordKind::Settle, .number = 1}).ok()) << "settles what was not reserved";
  EXPECT_FALSE(book.apply({.kind = RecordKind::Reserve, .number = 2}).ok()) << "skips a number";
  EXPECT_FALSE(book.apply({.kind = RecordKind::Reserve, .number = 1, .charge = {.tokens = 101}}).ok()) << "above it";
  const uint64_t call = reserve(book, {.tokens = 50});
  EXPECT_FALSE(book.apply({.kind = RecordKind::Settle, .number = call, .charge = {.tokens = 101}}).ok()) << "above it";
}

TEST(charge, sums_stop_at_the_largest_number_and_differences_at_nothing) {
  EXPECT_EQ(add({.tokens = kUnbounded - 1}, {.tokens = 5}).tokens, kUnbounded);
  EXPECT_EQ(subtract({.tokens = 3}, {.tokens = 5}).tokens, 0u);
  EXPECT_EQ(subtract(kNoLimit, {.tokens = 5}).tokens, kUnbounded);
}

TEST(charge, times_are_told_rounded_down) {
  EXPECT_EQ(amount_text(kResources[1], 1'999'999'999), "1.9 s");
  EXPECT_EQ(amount_text(kResources[1], 999'999'999), "999 ms");
  EXPECT_EQ(amount_text(kResources[4], 300), "300");
  EXPECT_EQ(amount_text(kResources[4], kUnbounded), "no limit");
}

}  // namespace
}  // namespace atys::budget

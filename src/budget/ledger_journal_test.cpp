// SPDX-License-Identifier: Apache-2.0
#include "budget/ledger_journal.h"

#include <gtest/gtest.h>

namespace atys::budget {
namespace {

std::vector<LedgerRecord> some_records() {
  Budget budget;
  budget.in_all = {.captures = 3, .profiled_ns = 5, .wall_ns = 6, .overhead_ns = 7, .tokens = 0};
  budget.per_call.tokens = 9;
  return {{.kind = RecordKind::New, .time_ns = 11, .budget = budget},
          {.kind = RecordKind::Reserve, .time_ns = 12, .number = 1, .pid = 42, .call = "capture", .charge = {.captures = 1}},
          {.kind = RecordKind::Settle, .time_ns = 13, .number = 1, .charge = {.captures = 1}, .overrun = {.wall_ns = 8}},
          {.kind = RecordKind::Lapse, .time_ns = 14, .number = 2},
          {.kind = RecordKind::Close, .time_ns = 15}};
}

std::string written(const std::vector<LedgerRecord>& records) {
  LedgerJournal journal;
  std::string bytes;
  for (const LedgerRecord& record : records) {
    const std::string line = journal.encode(record);
    journal.accept(line);
    bytes += line;
  }
  return bytes;
}

TEST(ledger_journal, reads_what_it_wrote) {
  const auto parsed = LedgerJournal().parse(written(some_records()));
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->records, some_records());
}

TEST(ledger_journal, goes_on_where_it_stopped) {
  const std::string bytes = written(some_records());
  const size_t first = bytes.find('\n') + 1;
  LedgerJournal journal;
  EXPECT_EQ(journal.parse(bytes.substr(0, first))->records.size(), 1u);
  EXPECT_EQ(journal.parse(bytes.substr(first))->records.size(), 4u);
}

TEST(ledger_journal, a_torn_end_is_left_out_wherever_it_was_torn) {
  const std::string bytes = written(some_records());
  const size_t before = bytes.rfind('\n', bytes.size() - 2) + 1;
  for (size_t size = before; size < bytes.size(); ++size) {
    const auto parsed = LedgerJournal().parse(std::string_view(bytes).substr(0, size));
    ASSERT_TRUE(parsed.ok()) << size;
    EXPECT_EQ(parsed->records.size(), 4u);
    EXPECT_EQ(parsed->used, before);
  }
}

TEST(ledger_journal, any_changed_byte_of_an_earlier_record_is_damage) {
  const std::string bytes = written(some_records());
  const size_t last = bytes.rfind('\n', bytes.size() - 2) + 1;
  // But for the end of the line before the last: with it gone, both look like one torn record.
  for (size_t i = 0; i < last - 1; ++i) {
    std::string changed = bytes;
    changed[i] ^= 1;
    EXPECT_FALSE(LedgerJournal().parse(changed).ok()) << i;
  }
}

TEST(ledger_journal, a_record_that_was_taken_out_is_damage) {
  const std::string bytes = written(some_records());
  const size_t first = bytes.find('\n') + 1;
  const size_t second = bytes.find('\n', first) + 1;
  EXPECT_FALSE(LedgerJournal().parse(bytes.substr(0, first) + bytes.substr(second)).ok());
}

TEST(ledger_journal, names_of_calls_cannot_forge_records) {
  LedgerRecord record = some_records()[1];
  record.call = "x tokens=5\n";
  EXPECT_EQ(LedgerJournal().parse(LedgerJournal().encode(record))->records.at(0).call, "other");
}

}  // namespace
}  // namespace atys::budget

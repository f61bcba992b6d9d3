// SPDX-License-Identifier: Apache-2.0
#include "budget/ledger_journal.h"

// Records are also tried without their checksums, which no mutation would get right.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace atys::budget;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)LedgerJournal().parse(bytes).ok();
  const std::string line = LedgerJournal::sealed(bytes.substr(0, bytes.find('\n')), 0);
  const auto parsed = LedgerJournal().parse(line);
  LedgerBook book;
  if (!parsed.ok()) return 0;
  for (const LedgerRecord& record : parsed->records) {
    (void)book.apply(record).ok();
    // What was read is written the same way.
    LedgerJournal again;
    const auto twice = again.parse(LedgerJournal().encode(record));
    CHECK(twice.ok() && twice->records.size() == 1);
  }
  (void)book.state();
  return 0;
}

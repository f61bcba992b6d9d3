// SPDX-License-Identifier: Apache-2.0
// How a ledger's records are written: a line each, with a checksum over the line and all before it, so that neither a torn
// write nor a line that was changed, moved or removed passes for a record.
//
//   9f3c51d0a2b4e687 reserve time=1763200000000000000 number=7 pid=4242 call=capture captures=1 profiled_ns=10000000000
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "budget/ledger_book.h"

namespace atys::budget {

class LedgerJournal {
 public:
  // The bytes of the next record; call `accept` with the same when they are on disk.
  std::string encode(const LedgerRecord& record) const;
  void accept(std::string_view line);

  struct Parsed {
    std::vector<LedgerRecord> records;
    size_t used = 0;  // bytes of whole, true records; what follows is the torn end of a write that nobody was told about
  };
  // Reads on from where the last call ended. A bad record that others follow is damage, not a torn end.
  Result<Parsed> parse(std::string_view bytes);

  // A record's text as a line behind the checksum `chain`.
  static std::string sealed(std::string_view text, uint64_t chain);

 private:
  uint64_t chain_ = 0;  // checksum of everything so far
};

}  // namespace atys::budget

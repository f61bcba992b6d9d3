// SPDX-License-Identifier: Apache-2.0
// What a ledger's records add up to. Pure: records in, state out; the file, its locks and its checksums are elsewhere.
//
// Invariant, for each resource: spent + reserved <= the limit in all. A call reserves the most that it may cost before it
// begins; what it did cost takes the place of that when it is over. A caller that died without saying what it cost has its
// reservation counted as spent: nobody knows better, and a budget that trusts the dead can be overspent by being killed.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/result.h"
#include "budget/charge.h"

namespace atys::budget {

enum class RecordKind { New, Reserve, Settle, Lapse, Close };

struct LedgerRecord {
  RecordKind kind = RecordKind::New;
  int64_t time_ns = 0;  // Unix time
  uint64_t number = 0;  // Reserve, Settle, Lapse: of the reservation
  int64_t pid = 0;      // Reserve: for people; whether it lives is told by a lock
  std::string call;     // Reserve: which verb
  Charge charge;        // Reserve: at most; Settle: what it cost
  Charge overrun;       // Settle: what it cost beyond what the budget had
  Budget budget;        // New

  bool operator==(const LedgerRecord&) const = default;
};

struct OpenReservation {
  Charge most;
  int64_t pid = 0;
  std::string call;
};

struct LedgerState {
  std::string id;
  Budget budget;
  Charge spent;     // by calls that are over, those of dead callers included
  Charge reserved;  // by calls that are under way
  Charge overrun;   // what calls took beyond what there was; time cannot be given back
  Charge left = kNoLimit;
  uint64_t calls = 0;  // that are over and said what they cost
  uint64_t calls_under_way = 0;
  uint64_t calls_lost = 0;  // whose caller died
  bool is_closed = false;
  int64_t created_unix_ns = 0;
};

class LedgerBook {
 public:
  // A record that cannot follow from those before it is refused: the file is not one of ours.
  Result<> apply(const LedgerRecord& record);

  // What a call that wants `most` and is of no use below `least` may cost; BudgetSpent if not even that is left.
  Result<Charge> grant(const Charge& most, const Charge& least) const;
  // The record that ends a reservation: what was used, charged as far as the budget goes, the rest told as overrun.
  LedgerRecord settlement(uint64_t number, const Charge& used) const;

  bool is_empty() const { return !is_begun_; }
  uint64_t next_number() const { return next_number_; }
  const std::map<uint64_t, OpenReservation>& open() const { return open_; }
  LedgerState state() const;

 private:
  Result<> begin(const LedgerRecord& record);
  Result<> end(const LedgerRecord& record);
  Charge left() const { return subtract(subtract(budget_.in_all, spent_), reserved()); }
  Charge reserved() const;

  Budget budget_;
  Charge spent_, overrun_;
  std::map<uint64_t, OpenReservation> open_;
  uint64_t next_number_ = 1;
  uint64_t settled_ = 0, lapsed_ = 0;
  int64_t created_ns_ = 0;
  bool is_begun_ = false, is_closed_ = false;
};

}  // namespace atys::budget

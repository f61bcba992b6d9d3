// SPDX-License-Identifier: Apache-2.0
#include "budget/ledger_book.h"

#include <algorithm>

namespace atys::budget {

namespace {

Error out_of_place(const char* what) {
  return fail(ErrorCode::InvalidInput, std::string("a record is out of place: ") + what);
}

// Of a resource without a limit a call may reserve without a limit as well: nothing that could be added up.
Charge without_unbounded(Charge charge) {
  for (const Resource& resource : kResources)
    if (charge.*resource.amount == kUnbounded) charge.*resource.amount = 0;
  return charge;
}

}  // namespace

Charge LedgerBook::reserved() const {
  Charge sum;
  for (const auto& [number, reservation] : open_) sum = add(sum, without_unbounded(reservation.most));
  return sum;
}

Result<> LedgerBook::apply(const LedgerRecord& record) {
  if (is_begun_ == (record.kind == RecordKind::New)) return out_of_place("a ledger begins once");
  switch (record.kind) {
    case RecordKind::New:
      budget_ = record.budget;
      created_ns_ = record.time_ns;
      is_begun_ = true;
      return {};
    case RecordKind::Reserve: return begin(record);
    case RecordKind::Settle:
    case RecordKind::Lapse: return end(record);
    case RecordKind::Close: is_closed_ = true; return {};
  }
  return {};
}

Result<> LedgerBook::begin(const LedgerRecord& record) {
  if (record.number != next_number_) return out_of_place("a reservation has a wrong number");
  if (is_closed_) return out_of_place("a reservation after the end");
  if (first_lacking(record.charge, left()) != nullptr) return out_of_place("a reservation above the budget");
  open_[record.number] = {record.charge, record.pid, record.call};
  ++next_number_;
  return {};
}

Result<> LedgerBook::end(const LedgerRecord& record) {
  const auto found = open_.find(record.number);
  if (found == open_.end()) return out_of_place("the end of a call that is not under way");
  const Charge most = found->second.most;
  const bool is_lapse = record.kind == RecordKind::Lapse;
  const Charge cost = is_lapse ? without_unbounded(most) : record.charge;
  if (first_lacking(cost, add(left(), most)) != nullptr) return out_of_place("a call that cost more than there was");
  spent_ = add(spent_, cost);
  overrun_ = add(overrun_, record.overrun);
  ++(is_lapse ? lapsed_ : settled_);
  open_.erase(found);
  return {};
}

Result<Charge> LedgerBook::grant(const Charge& most, const Charge& least) const {
  if (is_closed_)
    return fail(ErrorCode::BudgetSpent, "the ledger is closed", "make another with atys ledger new, or ask whoever gave it");
  const Charge allowed = smaller(left(), budget_.per_call);
  if (const Resource* lacking = first_lacking(least, allowed); lacking != nullptr) {
    const bool is_of_call = budget_.per_call.*lacking->amount < left().*lacking->amount;
    const uint64_t limit = is_of_call ? budget_.per_call.*lacking->amount : budget_.in_all.*lacking->amount;
    const std::string have =
        is_of_call ? "a call may use " + amount_text(*lacking, limit)
                   : amount_text(*lacking, left().*lacking->amount) + " of " + amount_text(*lacking, limit) + " left";
    return fail(ErrorCode::BudgetSpent, std::string("the budget is spent: ") + lacking->name + ": " + have +
                                            ", this needs " + amount_text(*lacking, least.*lacking->amount));
  }
  return smaller(most, allowed);
}

LedgerRecord LedgerBook::settlement(uint64_t number, const Charge& used) const {
  LedgerRecord record{.kind = RecordKind::Settle, .number = number};
  const auto found = open_.find(number);
  const Charge most = found == open_.end() ? Charge{} : found->second.most;
  record.charge = smaller(used, add(left(), most));
  record.overrun = subtract(used, record.charge);
  return record;
}

LedgerState LedgerBook::state() const {
  LedgerState state;
  state.budget = budget_;
  state.spent = spent_;
  state.reserved = reserved();
  state.overrun = overrun_;
  state.left = left();
  state.calls = settled_;
  state.calls_under_way = open_.size();
  state.calls_lost = lapsed_;
  state.is_closed = is_closed_;
  state.created_unix_ns = created_ns_;
  return state;
}

}  // namespace atys::budget

// SPDX-License-Identifier: Apache-2.0
// A ledger: what a client may spend in all and per call, kept in one file, shared by any number of callers.
//
//   auto ledger = TRY(Ledger::open(folder, id));
//   const Reservation call = TRY(ledger.reserve({.most = {.captures = 1, .profiled_ns = …}, .least = …, .call =
//   "capture"})); … do what call.granted allows … const LedgerState state = TRY(ledger.settle(call, used));
//
// The file is a journal (ledger_journal.h): only appended to, each record synced before it counts. One byte of it is locked
// while somebody appends. Each caller under way holds a lock on a byte of its own, which the kernel gives back when the
// caller dies: so who is dead is told without pids, which are reused and mean nothing in another container.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "budget/ledger_book.h"

namespace atys::budget {

struct Wanted {
  Charge most;       // what it may cost; kUnbounded: whatever is left
  Charge least;      // below that it is of no use
  std::string call;  // "capture": which verb, for whoever reads the ledger
};

struct Reservation {
  uint64_t number = 0;
  Charge granted;  // of each resource between least and most
};

class Ledger {
 public:
  // Makes a ledger below `folder` and returns its id.
  static Result<std::string> create(const std::string& folder, const Budget& budget);
  // Refuses ids that are none, and files that are not this user's alone.
  static Result<Ledger> open(const std::string& folder, const std::string& id);

  Ledger(Ledger&&) noexcept;
  Ledger& operator=(Ledger&&) noexcept;
  ~Ledger();  // what was reserved and not settled counts as lost

  // All of these are safe to call from several threads, and durable when they return.
  // BudgetSpent: not even the least is left, or the ledger is closed.
  Result<Reservation> reserve(const Wanted& wanted);
  Result<LedgerState> settle(const Reservation& reservation, const Charge& used);
  Result<LedgerState> state();
  Result<LedgerState> close();  // later calls are refused; those under way may settle

 private:
  class File;
  explicit Ledger(std::unique_ptr<File> file);
  std::unique_ptr<File> file_;
};

// 16 hexadecimal digits: nothing that could lead out of a folder.
bool is_ledger_id(std::string_view text);

}  // namespace atys::budget

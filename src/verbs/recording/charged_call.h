// SPDX-License-Identifier: Apache-2.0
// A call that a ledger pays for: bounded by what is left before it begins, charged with what it cost when it is over.
//
//   auto call = TRY(charge(choice, request));     // lowers the request to what is left, or says BudgetSpent
//   auto answer = TRY(capture(request));
//   note_cost(call, answer);
//   … render, and settle with the tokens of the rendering: present/charged.h
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "budget/ledger.h"
#include "verbs/capture.h"
#include "verbs/compare.h"
#include "verbs/recording/budget_report.h"
#include "verbs/view/view.h"

namespace atys::verbs {

struct LedgerChoice {
  std::string id;               // empty: nobody keeps account
  bool all_or_nothing = false;  // refuse what cannot be done as asked, instead of doing less
};

class ChargedCall {
 public:
  ChargedCall() = default;  // not charged
  static Result<ChargedCall> begin(const LedgerChoice& choice, const budget::Wanted& wanted);
  ChargedCall(ChargedCall&&) noexcept = default;
  ChargedCall& operator=(ChargedCall&&) = delete;
  ~ChargedCall();  // a call that failed is charged with the time that it took

  bool is_charged() const { return ledger_ != nullptr; }
  const budget::Charge& granted() const { return reservation_.granted; }
  // Whether the ledger limits this resource, in all or per call.
  bool is_limited(uint64_t budget::Charge::*amount) const;
  // Of a resource that nobody limits there is as much as one likes.
  void lift(uint64_t budget::Charge::*amount) { reservation_.granted.*amount = budget::kUnbounded; }
  void note_lowered(std::string what) { lowered_.push_back(std::move(what)); }

  // What is not measured here: captures, profiled time, time of programs in the kernel.
  void add_cost(const budget::Charge& cost) { cost_ = budget::add(cost_, cost); }

  // How long a recording has gone on, told while it does: what is charged if it fails, and nobody adds its cost.
  void watch_recording(CaptureRequest& request);

  // As the answer will say it at the longest; to find out how long an answer gets.
  BudgetReport longest_report() const;
  Result<BudgetReport> settle(uint64_t tokens);

 private:
  budget::Charge cost_so_far() const;

  std::unique_ptr<budget::Ledger> ledger_;  // none: not charged, or settled
  budget::Reservation reservation_{0, budget::kNoLimit};
  budget::Budget budget_;
  budget::Charge cost_;
  std::shared_ptr<std::atomic<uint64_t>> recorded_ns_;  // shared with the request's callback, which may outlive us
  std::vector<std::string> lowered_;
  std::string id_;
  uint64_t began_ns_ = 0;
  uint64_t began_cpu_ns_ = 0;
};

// Below these an answer or a recording says nothing.
inline constexpr uint64_t kSecond = 1'000'000'000;
inline constexpr uint64_t kLeastAnswerTokens = 100;
inline constexpr uint64_t kLeastProfiledNs = kSecond / 10;
inline constexpr uint64_t kLeastWallNs = kSecond / 100;
inline constexpr uint64_t kLeastOverheadNs = kSecond / 100;
// What an answer takes whose length nobody bounded: a default answer has less than 10,000 characters.
inline constexpr uint64_t kUsualTokens = 4000;

// Bounds an answer by what was granted, where the ledger has a limit on tokens.
void lower_tokens(ChargedCall& call, std::optional<size_t>& cap);

// Each lowers its request to what was granted.
Result<ChargedCall> charge(const LedgerChoice& choice, CaptureRequest& request);
Result<ChargedCall> charge(const LedgerChoice& choice, const std::string& call, View& view);
Result<ChargedCall> charge(const LedgerChoice& choice, CompareRequest& request);

// What a recording used.
void note_cost(ChargedCall& call, const CaptureAnswer& answer);
void note_cost(ChargedCall& call, const CompareAnswer& answer);

}  // namespace atys::verbs

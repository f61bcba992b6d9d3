// SPDX-License-Identifier: Apache-2.0
#include "verbs/recording/charged_call.h"

#include <algorithm>

#include "base/own_cpu.h"
#include "base/strings.h"
#include "verbs/ledger.h"

namespace atys::verbs {

namespace {

using budget::Charge;
using budget::kUnbounded;

// What looking at a profile takes at most, but for profiles of hundreds of megabytes.
constexpr uint64_t kUsualNs = 10 * kSecond;

// What is left for one call, as far as there is a limit.
std::string left_text(const Charge& left) {
  std::string text;
  for (const budget::Resource& resource : budget::kResources)
    if (left.*resource.amount != kUnbounded)
      add_to_list(text, std::string(resource.name) + " " + amount_text(resource, left.*resource.amount));
  return text;
}

// What would have been cheaper than a call that was refused.
std::string cheaper(const std::string& call, const Charge& least, const Charge& left) {
  const bool has_tokens = left.tokens >= kLeastAnswerTokens;
  const bool can_capture = left.captures >= 1 && left.profiled_ns >= kLeastProfiledNs;
  if (call == "capture" && can_capture && has_tokens && least.profiled_ns > left.profiled_ns)
    return "a capture of " + std::to_string(left.profiled_ns / 1'000'000) + "ms would fit: --duration " +
           std::to_string(left.profiled_ns / 1'000'000) + "ms";
  if (has_tokens && least.tokens > left.tokens) return "--max-tokens " + std::to_string(left.tokens) + " would fit";
  if (call == "capture" && !can_capture && has_tokens)
    return "summaries of profiles that are there cost no capture: atys list";
  return "nothing cheaper is left: ask whoever gave the budget, or make another with atys ledger new";
}

}  // namespace

Result<ChargedCall> ChargedCall::begin(const LedgerChoice& choice, const budget::Wanted& wanted) {
  ChargedCall call;
  call.began_ns_ = clock_ns(CLOCK_MONOTONIC);
  call.began_cpu_ns_ = own_cpu_ns();
  if (choice.id.empty()) return call;
  call.id_ = choice.id;
  auto ledger = TRY(budget::Ledger::open(ledger_folder(), choice.id));
  auto reserved = ledger.reserve(wanted);
  const budget::LedgerState state = TRY(ledger.state());
  if (!reserved.ok() && reserved.error().code == ErrorCode::BudgetSpent && !state.is_closed) {
    Error refused = reserved.error();
    const Charge left = smaller(state.left, state.budget.per_call);
    const bool fits_later =
        first_lacking(wanted.least, smaller(add(state.left, state.reserved), state.budget.per_call)) == nullptr;
    refused.hint = "left: " + left_text(left) + "; " +
                   (fits_later ? "try again when the calls that are under way are over: they reserved the rest"
                               : cheaper(wanted.call, wanted.least, left));
    return refused;
  }
  call.reservation_ = TRY(std::move(reserved));
  call.budget_ = state.budget;
  call.ledger_ = std::make_unique<budget::Ledger>(std::move(ledger));
  return call;
}

ChargedCall::~ChargedCall() {
  if (ledger_) (void)ledger_->settle(reservation_, cost_so_far()).ok();
}

Charge ChargedCall::cost_so_far() const {
  Charge cost = cost_;
  if (cost.captures == 0 && recorded_ns_ && *recorded_ns_ > 0) cost = {.captures = 1, .profiled_ns = *recorded_ns_};
  cost.wall_ns += clock_ns(CLOCK_MONOTONIC) - began_ns_;
  cost.overhead_ns += own_cpu_ns() - began_cpu_ns_;
  return cost;
}

void ChargedCall::watch_recording(CaptureRequest& request) {
  recorded_ns_ = std::make_shared<std::atomic<uint64_t>>(0);
  request.on_progress = [told = std::move(request.on_progress), recorded = recorded_ns_](double seconds, double samples) {
    *recorded = static_cast<uint64_t>(seconds * 1e9);
    if (told) told(seconds, samples);
  };
}

bool ChargedCall::is_limited(uint64_t Charge::*amount) const {
  return smaller(budget_.in_all, budget_.per_call).*amount != kUnbounded;
}

BudgetReport ChargedCall::longest_report() const {
  Charge longest;
  for (const budget::Resource& resource : budget::kResources)
    longest.*resource.amount = resource.unit == budget::Unit::Count ? 999'999 : 99'999'999'999'999;
  return {.ledger = id_, .charged = longest, .left = budget_.in_all, .limit = budget_.in_all, .lowered = lowered_};
}

Result<BudgetReport> ChargedCall::settle(uint64_t tokens) {
  Charge cost = cost_so_far();
  cost.tokens = tokens;
  auto settled = ledger_->settle(reservation_, cost);
  ledger_.reset();
  const budget::LedgerState state = TRY(std::move(settled));
  return BudgetReport{.ledger = id_, .charged = cost, .left = state.left, .limit = budget_.in_all, .lowered = lowered_};
}

void lower_tokens(ChargedCall& call, std::optional<size_t>& cap) {
  if (!cap && !call.is_limited(&Charge::tokens)) return call.lift(&Charge::tokens);
  const uint64_t granted = call.granted().tokens;
  if (granted == kUnbounded) return;
  if (cap && granted < *cap)
    call.note_lowered("the answer was bounded by " + std::to_string(granted) + " tokens: no more are left for a call");
  cap = granted;  // what is left is told in the answer, within the same cap
}

Result<ChargedCall> charge(const LedgerChoice& choice, const std::string& name, View& view) {
  const uint64_t asked = view.max_tokens.value_or(view.form == reduce::Form::Raw ? kUnbounded : kUsualTokens);
  budget::Wanted wanted{.most = {.wall_ns = kUsualNs, .overhead_ns = kUsualNs, .tokens = asked},
                        .least = {.wall_ns = kLeastWallNs, .overhead_ns = kLeastOverheadNs, .tokens = kLeastAnswerTokens},
                        .call = name};
  wanted.least.tokens = std::min(kLeastAnswerTokens, asked);
  if (choice.all_or_nothing && asked != kUnbounded) wanted.least.tokens = asked;
  ChargedCall call = TRY(ChargedCall::begin(choice, wanted));
  if (call.is_charged()) lower_tokens(call, view.max_tokens);
  return call;
}

}  // namespace atys::verbs

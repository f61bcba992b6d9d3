// SPDX-License-Identifier: Apache-2.0
// How a comparison is bounded by what a ledger has left: less time, and no profiles where no capture is left.
#include <fmt/format.h>

#include <algorithm>

#include "verbs/recording/charged_call.h"

namespace atys::verbs {

Result<ChargedCall> charge(const LedgerChoice& choice, CompareRequest& request) {
  budget::Wanted wanted{.call = "compare"};
  wanted.most = {.captures = request.profile_runs > 0 ? 1u : 0u,
                 .wall_ns = request.max_time_ns,
                 .overhead_ns = request.max_time_ns,
                 .tokens = request.view.max_tokens.value_or(kUsualTokens)};
  wanted.least = {.wall_ns = kSecond, .overhead_ns = kLeastOverheadNs, .tokens = kLeastAnswerTokens};
  if (choice.all_or_nothing) {
    wanted.least.captures = wanted.most.captures;
    wanted.least.wall_ns = request.max_time_ns;
  }
  wanted.least = smaller(wanted.least, wanted.most);
  ChargedCall call = TRY(ChargedCall::begin(choice, wanted));
  if (!call.is_charged()) return call;
  if (call.granted().wall_ns < request.max_time_ns) {
    request.max_time_ns = call.granted().wall_ns;
    call.note_lowered(fmt::format("comparing for {:.1f} s at most: that is what the wall time left allows",
                                  static_cast<double>(request.max_time_ns) / 1e9));
  }
  if (request.profile_runs > 0 && call.granted().captures == 0) {
    request.profile_runs = 0;
    call.note_lowered("no profiles of the runs: no capture is left");
  }
  lower_tokens(call, request.view.max_tokens);
  return call;
}

void note_cost(ChargedCall& call, const CompareAnswer& answer) {
  call.add_cost({.captures = answer.profiled_runs > 0 ? 1u : 0u});
}

}  // namespace atys::verbs

// SPDX-License-Identifier: Apache-2.0
// An answer that a ledger pays for, rendered: what it costs in tokens depends on how it is written, and what is left is part
// of what is written.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "verbs/diff.h"
#include "verbs/link.h"
#include "verbs/recording/charged_call.h"
#include "verbs/summary.h"

namespace atys::present {

// What bounds the part of an answer that can be made shorter.
inline verbs::Tokens& bounds_in(verbs::CaptureAnswer& answer) { return answer.summary.tokens; }
template <typename Answer>
verbs::Tokens& bounds_in(Answer& answer) {
  return answer.tokens;
}

// Never below what a language model counts.
uint64_t tokens_of(const std::string& text);

Error does_not_fit(uint64_t needed, uint64_t granted);

// The answer within `most` tokens: where it is too long, what can be made shorter gets a lower and lower cap.
template <typename Answer, typename Render>
std::string render_within(Answer& answer, uint64_t most, const Render& render) {
  constexpr uint64_t kTries = 6;
  std::string text = render(answer);
  for (uint64_t left = kTries; left > 0 && tokens_of(text) > most; --left) {
    bounds_in(answer).cap = most * left / (kTries + 1);
    text = render(answer);
  }
  return text;
}

// Charges `call` for what `render` makes of the answer, with what is left in it.
template <typename Answer, typename Render>
Result<std::string> render_charged(Answer& answer, verbs::ChargedCall& call, const Render& render) {
  constexpr uint64_t kSpare = 8;  // digits may fall into other tokens than those counted
  if (!call.is_charged()) return render_within(answer, bounds_in(answer).cap.value_or(UINT64_MAX), render);
  answer.ledger = call.longest_report();
  const uint64_t granted = call.granted().tokens;
  const std::string text = render_within(answer, granted - std::min(granted, kSpare), render);
  const uint64_t tokens = tokens_of(text) + kSpare;
  // An answer that says no more than that nothing fits does not say what is left either.
  if (tokens > granted || text.find(answer.ledger->ledger) == std::string::npos) return does_not_fit(tokens, granted);
  answer.ledger = TRY(call.settle(tokens));
  return render(answer);
}

}  // namespace atys::present

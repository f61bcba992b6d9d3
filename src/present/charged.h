// SPDX-License-Identifier: Apache-2.0
// An answer that a ledger pays for, rendered: what it costs in tokens depends on how it is written, and what is left is part
// of what is written.
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "base/result.h"
#include "verbs/charged_call.h"
#include "verbs/diff.h"
#include "verbs/link.h"
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

// Charges `call` for what `render` makes of the answer, with what is left in it. Where that is too long the answer gets a
// lower cap, and says less.
template <typename Answer, typename Render>
Result<std::string> render_charged(Answer& answer, verbs::ChargedCall& call, const Render& render) {
  if (!call.is_charged()) return render(answer);
  constexpr uint64_t kSpare = 8;  // digits may fall into other tokens than those counted
  constexpr int kTries = 6;
  answer.ledger = call.longest_report();
  const uint64_t granted = call.granted().tokens;
  std::string text = render(answer);
  uint64_t tokens = tokens_of(text) + kSpare;
  for (int i = 0; i < kTries && tokens > granted; ++i) {
    std::optional<size_t>& cap = bounds_in(answer).cap;
    const uint64_t before = std::min<uint64_t>(cap.value_or(granted), granted);
    cap = before - std::min(before, tokens - granted);
    text = render(answer);
    tokens = tokens_of(text) + kSpare;
  }
  // An answer that says no more than that nothing fits does not say what is left either.
  if (tokens > granted || text.find(answer.ledger->ledger) == std::string::npos) return does_not_fit(tokens, granted);
  answer.ledger = TRY(call.settle(tokens));
  return render(answer);
}

}  // namespace atys::present

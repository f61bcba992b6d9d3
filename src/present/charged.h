// SPDX-License-Identifier: Apache-2.0
// An answer that a ledger pays for, rendered: what it costs in tokens depends on how it is written, and what is left is part
// of what is written.
#pragma once

#include <string>

#include "base/result.h"
#include "verbs/charged_call.h"
#include "verbs/diff.h"
#include "verbs/summary.h"

namespace atys::present {

// Leaves out the least important row; false: there is none left.
bool shorten(verbs::SummaryAnswer& answer);
bool shorten(verbs::DiffAnswer& answer);
bool shorten(verbs::CaptureAnswer& answer);

// Never below what a language model counts.
uint64_t tokens_of(const std::string& text);

Error does_not_fit(uint64_t needed, uint64_t granted);

// Charges `call` for what `render` makes of the answer, with what is left in it. Rows that do not fit are left out; what was
// fitted by the verb alone may be too long by what JSON and the report add.
template <typename Answer, typename Render>
Result<std::string> render_charged(Answer& answer, verbs::ChargedCall& call, const Render& render) {
  if (!call.is_charged()) return render(answer);
  constexpr uint64_t kSpare = 8;  // digits may fall into other tokens than those counted
  answer.ledger = call.longest_report();
  uint64_t tokens = tokens_of(render(answer)) + kSpare;
  while (tokens > call.granted().tokens && shorten(answer)) tokens = tokens_of(render(answer)) + kSpare;
  if (tokens > call.granted().tokens) return does_not_fit(tokens, call.granted().tokens);
  answer.ledger = TRY(call.settle(tokens));
  return render(answer);
}

}  // namespace atys::present

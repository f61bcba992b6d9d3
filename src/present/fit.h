// SPDX-License-Identifier: Apache-2.0
// The most that can be said within the bounds of an answer. An answer is rendered in less and less detail until an upper
// bound of its tokens, and its characters, are within what was asked for: nothing is ever cut out of the middle of a text.
#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "budget/token_meter.h"
#include "present/follow_up_text.h"
#include "verbs/view/detail.h"

namespace atys::present {

struct Bounded {
  std::string text;
  size_t tokens = 0;  // an upper bound
};

inline bool is_within(const Bounded& rendered, const verbs::Tokens& bounds) {
  return (!bounds.cap || rendered.tokens <= *bounds.cap) &&
         (!bounds.most_characters || rendered.text.size() <= *bounds.most_characters);
}

// Details from the richest on. Names are first cut to what can be read, then to what can be recognised.
inline constexpr verbs::Detail kDetails[] = {
    {.name_bytes = 80, .place_bytes = 60, .path_names = 40}, {.name_bytes = 60, .place_bytes = 48, .path_names = 16},
    {.name_bytes = 44, .place_bytes = 36, .path_names = 9},  {.name_bytes = 32, .place_bytes = 28, .path_names = 6},
    {.name_bytes = 24, .place_bytes = 0, .path_names = 4},
};

// How many of kDetails may be tried: where there is room, names stay readable and rows are left out instead.
size_t details_for(const verbs::Tokens& bounds);

// How many of the next questions to ask: they may take a third of the room.
size_t questions_that_fit(const std::vector<verbs::FollowUp>& next, FollowUpText as, const verbs::Tokens& bounds);

// `render(answer, estimate)` gives the text; `rows` is how many the answer has.
template <typename Answer, typename Render>
Bounded rendered(const Answer& answer, const verbs::Detail& detail, const Render& render) {
  const Answer less = in_detail(answer, detail);
  Bounded result{render(less, answer.tokens.cap.value_or(0)), 0};
  result.tokens = budget::count_upper_bound(result.text);
  // Where the estimate is part of the text it has no more digits than the cap.
  result.text = render(less, result.tokens);
  return result;
}

struct Fit {
  Bounded text;
  size_t rows = 0;  // 0: not even one fits
};

// As many rows as fit with this detail; all of them are tried first.
template <typename Answer, typename Render>
Fit most_rows(const Answer& answer, verbs::Detail detail, size_t rows, const Render& render) {
  detail.rows = rows;
  if (Bounded all = rendered(answer, detail, render); is_within(all, answer.tokens)) return {std::move(all), rows};
  Fit best;
  size_t fails = rows;
  while (fails - best.rows > 1) {
    detail.rows = (best.rows + fails) / 2;
    Bounded tried = rendered(answer, detail, render);
    if (!is_within(tried, answer.tokens)) {
      fails = detail.rows;
    } else {
      best = {std::move(tried), detail.rows};
    }
  }
  return best;
}

// `as` is how `render` writes follow-ups.
template <typename Answer, typename Render>
std::string fitted(const Answer& answer, FollowUpText as, bool full_names, size_t rows, const Render& render) {
  const verbs::Tokens& bounds = answer.tokens;
  const size_t questions = questions_that_fit(answer.next, as, bounds);
  std::string best;
  double best_cover = -1;
  for (size_t level = 0; level < details_for(bounds) || (best_cover < 0 && level < std::size(kDetails)); ++level) {
    verbs::Detail detail = full_names ? verbs::Detail{} : kDetails[level];
    detail.next = questions;
    Fit fit = most_rows(answer, detail, rows, render);
    if (fit.rows > 0 || rows == 0) {
      detail.rows = fit.rows;
      // A little less of the names is worth a lot more of the rows, not the other way round.
      const double cover = covered_percent(in_detail(answer, detail));
      const bool is_better = best_cover < 0 || cover > best_cover + 3;
      if (is_better) best = std::move(fit.text.text);
      if (is_better) best_cover = cover;
      if (fit.rows == rows) break;
    }
    if (full_names) break;
  }
  if (best_cover >= 0 && !best.empty()) return best;
  // Rows before anything that is said about them; then what there is without them.
  verbs::Detail bare = full_names ? verbs::Detail{} : kDetails[std::size(kDetails) - 1];
  bare.next = 0;
  bare.remarks = false;
  if (Fit fit = most_rows(answer, bare, rows, render); fit.rows > 0) return fit.text.text;
  for (const bool remarks : {true, false}) {
    verbs::Detail none{.rows = 0, .name_bytes = 24, .place_bytes = 0, .path_names = 0, .next = 0, .remarks = remarks};
    Bounded tried = rendered(answer, none, render);
    if (is_within(tried, bounds)) return tried.text;
  }
  return {};
}

}  // namespace atys::present

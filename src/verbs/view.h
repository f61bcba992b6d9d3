// SPDX-License-Identifier: Apache-2.0
// Which part of a profile a question is about, and how the answer is cut: what summary and diff have in common.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "reduce/attribution.h"
#include "reduce/filter.h"
#include "verbs/profile_info.h"

namespace atys::verbs {

inline constexpr size_t kDefaultRows = 20;

struct View {
  std::string value;  // value type; empty: the profile's default
  std::string by = "function";
  std::string form = "table";
  reduce::FilterOptions filter;
  std::optional<size_t> top;         // rows; default kDefaultRows
  std::optional<size_t> max_tokens;  // bounds the answer; the most important rows are kept
};

// What did not fit into the answer.
struct Omitted {
  size_t rows = 0;
  double percent = 0;
};

struct Tokens {
  std::optional<size_t> cap;
  size_t estimate = 0;
};

// A profile after the view's filter, with the column it asks for.
struct ViewedProfile {
  LoadedProfile loaded;
  size_t column = 0;
};

Result<ViewedProfile> open_view(const std::string& reference, const View& view);

// How many rows fit: the least of what was asked for and what the cap on tokens leaves. `cost(i)` is the text length of row
// i.
template <typename Cost>
size_t rows_that_fit(size_t available, const View& view, const Cost& cost, Tokens& tokens);

// A cautious guess, from lengths of text: identifiers and numbers take more tokens than prose.
constexpr size_t tokens_for(size_t characters) { return (characters * 2 + 4) / 5; }
inline constexpr size_t kEnvelopeCharacters = 600;  // header, totals, next questions

template <typename Cost>
size_t rows_that_fit(size_t available, const View& view, const Cost& cost, Tokens& tokens) {
  tokens.cap = view.max_tokens;
  const size_t wanted = std::min(available, view.top.value_or(kDefaultRows));
  size_t characters = kEnvelopeCharacters;
  size_t rows = 0;
  while (rows < wanted) {
    const size_t with_row = characters + cost(rows);
    if (tokens.cap && tokens_for(with_row) > *tokens.cap) break;
    characters = with_row;
    ++rows;
  }
  tokens.estimate = tokens_for(characters);
  return rows;
}

}  // namespace atys::verbs

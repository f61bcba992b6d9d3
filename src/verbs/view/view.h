// SPDX-License-Identifier: Apache-2.0
// Which part of a profile a question is about, and how the answer is cut: what summary and diff have in common.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "reduce/attribution.h"
#include "reduce/filter.h"
#include "reduce/form.h"
#include "reduce/own_code.h"
#include "verbs/profiles/profile_info.h"

namespace atys::verbs {

inline constexpr size_t kDefaultRows = 20;
inline constexpr size_t kLeastTokens = 60;            // no answer says anything in less
inline constexpr size_t kDefaultCharacters = 10'000;  // of an answer that nothing else bounds; clients cut longer ones

struct View {
  std::string value = {};  // value type; empty: the profile's default
  std::string by = "function";
  reduce::Form form = reduce::Form::Table;
  reduce::FilterOptions filter = {};
  std::optional<size_t> top = {};         // rows; default kDefaultRows
  std::optional<size_t> max_tokens = {};  // bounds the answer; the most important rows are kept
  bool full_names = false;                // leave out rows rather than shorten names
  reduce::OwnCodeRules own_code = {};     // what the user knows better than we do
};

// Rows left out that have something in common.
struct OmittedGroup {
  std::string name;
  size_t rows = 0;
  double percent = 0;
};

// What did not fit into the answer.
struct Omitted {
  size_t rows = 0;
  double percent = 0;
  std::vector<OmittedGroup> groups = {};  // largest first
};

// What bounds the answer, as text and as JSON; `estimate` is an upper bound of the tokens of what is printed.
struct Tokens {
  std::optional<size_t> cap = {};
  size_t estimate = 0;
  std::optional<size_t> most_characters = {};
};

// A profile after the view's filter, with the column it asks for.
struct ViewedProfile {
  LoadedProfile loaded;
  size_t column = 0;
  // What was asked for and is not there, with what is: a label, a function. None: there is something to show.
  std::optional<Error> nothing = {};
};

Result<ViewedProfile> open_view(const std::string& reference, const View& view);
// The same of a profile that is at hand. Every answer for people is made of one of these: functions have their names here.
Result<ViewedProfile> view_of(LoadedProfile loaded, const View& view);
// Keeps what the view's filter asks for, and notes what is not there. Patterns may also be of what functions are called in
// `renamed`, the same samples under other names, which are shown then.
Result<> keep_asked(ViewedProfile& viewed, const View& view, std::optional<Profile> renamed = {});
// Keeps what the filter asks for; fails where that is nothing, with what there is.
Result<Profile> filter_or_fail(Profile profile, const reduce::FilterOptions& filter);

// How many rows are worth looking at: as many as were asked for, or could fit into the cap.
size_t rows_wanted(const View& view);
// Fails if the cap is too low for any answer.
Result<Tokens> bounds_of(const View& view);

}  // namespace atys::verbs

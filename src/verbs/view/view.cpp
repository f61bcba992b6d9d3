// SPDX-License-Identifier: Apache-2.0
#include "verbs/view/view.h"

#include <algorithm>

#include "reduce/anonymous.h"
#include "verbs/view/what_there_is.h"

namespace atys::verbs {

Result<ViewedProfile> open_view(const std::string& reference, const View& view) {
  return view_of(TRY(load_profile(reference)), view);
}

Result<ViewedProfile> view_of(LoadedProfile loaded, const View& view) {
  ViewedProfile viewed{std::move(loaded)};
  viewed.loaded.profile = reduce::name_anonymous_functions(std::move(viewed.loaded.profile));
  viewed.column = TRY(find_value_column(viewed.loaded.profile, view.value));
  TRY(keep_asked(viewed, view));
  return viewed;
}

Result<> keep_asked(ViewedProfile& viewed, const View& view, std::optional<Profile> renamed) {
  Profile& profile = viewed.loaded.profile;
  if (view.form == reduce::Form::Table)
    if (const auto known = check_dimension(profile, TRY(reduce::parse_dimension(view.by))); !known.ok())
      viewed.nothing = known.error();
  if (!view.filter.keeps_all()) {
    Profile kept = TRY(renamed ? reduce::filter(*renamed, profile, view.filter) : reduce::filter(profile, view.filter));
    if (kept.samples.size() == 0 && profile.samples.size() > 0) viewed.nothing = why_nothing(profile, view.filter);
    renamed = std::move(kept);
  }
  if (renamed) profile = *std::move(renamed);
  return {};
}

Result<Profile> filter_or_fail(Profile profile, const reduce::FilterOptions& filter) {
  if (filter.keeps_all()) return profile;
  Profile kept = TRY(reduce::filter(profile, filter));
  if (kept.samples.size() == 0 && profile.samples.size() > 0) return why_nothing(profile, filter);
  return kept;
}

size_t rows_wanted(const View& view) {
  static constexpr size_t kFewestTokensOfARow = 8;
  static constexpr size_t kMostRows = 200;
  if (view.top) return *view.top;
  if (!view.max_tokens) return kDefaultRows;
  return std::clamp(*view.max_tokens / kFewestTokensOfARow, size_t{1}, kMostRows);
}

Result<Tokens> bounds_of(const View& view) {
  if (view.max_tokens && *view.max_tokens < kLeastTokens) {
    return fail(ErrorCode::InvalidInput, "no answer fits into " + std::to_string(*view.max_tokens) + " tokens",
                "allow at least " + std::to_string(kLeastTokens));
  }
  Tokens tokens{.cap = view.max_tokens};
  if (!view.top && !view.max_tokens && !view.full_names && view.form != reduce::Form::Raw)
    tokens.most_characters = kDefaultCharacters;
  return tokens;
}

}  // namespace atys::verbs

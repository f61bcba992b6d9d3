// SPDX-License-Identifier: Apache-2.0
#include "verbs/view/what_there_is.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "base/nearest.h"
#include "base/strings.h"
#include "base/utc_time.h"
#include "base/utf8.h"
#include "reduce/label_text.h"
#include "reduce/pattern.h"
#include "reduce/top.h"

namespace atys::verbs {

using namespace profile;

namespace {

constexpr size_t kMostListed = 8;
constexpr size_t kLongest = 60;
constexpr size_t kMostCompared = 5000;  // functions that are looked at for a name like the one asked for
constexpr size_t kMostCollected = 1000;

bool is_plain(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("_-.:/@").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

std::vector<std::string> values_of(const Profile& profile, std::string_view key) {
  std::set<std::string> values;
  for (uint32_t i = 1; i < profile.labels.size() && values.size() < kMostCollected; ++i)
    if (const Label& label = profile.labels[LabelId{i}]; profile.text(label.key) == key)
      values.insert(reduce::value_text(profile, label));
  return {values.begin(), values.end()};
}

bool keeps_nothing(const Profile& profile, const reduce::FilterOptions& filter) {
  const auto kept = reduce::filter(profile, filter);
  return kept.ok() && kept->samples.size() == 0;
}

// A pattern without what makes it one, to compare with names.
std::string letters_of(const std::string& pattern) {
  std::string text;
  for (const char c : pattern)
    if (std::string_view("^$()[]{}*+?\\|").find(c) == std::string_view::npos) text += c;
  return text;
}

Error no_function(const Profile& profile, const std::string& pattern) {
  const reduce::Top top = reduce::top(profile, profile.default_value_column(), {reduce::DimensionKind::Function, {}});
  std::vector<std::string> costliest, names;
  for (const reduce::TopRow& row : top.rows) {
    if (costliest.size() < kMostListed) costliest.push_back(row.entity.name);
    if (names.size() < kMostCompared) names.push_back(as_data(row.entity.name));
  }
  const std::string costly = costliest.empty() ? "" : "the costliest functions are " + listed_data(costliest);
  return fail(ErrorCode::NotFound, "no function, file or module matches '" + pattern + "'",
              did_you_mean(letters_of(pattern), names, costly));
}

Error no_value(const Profile& profile, const reduce::LabelCondition& label) {
  return fail(ErrorCode::NotFound, "no value of the label " + as_data(label.key) + " is '" + label.pattern + "'",
              "there are " + listed_data(values_of(profile, label.key)));
}

Error no_time(const Profile& profile) {
  int64_t first = 0;
  int64_t last = 0;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    const int64_t time = profile.samples.time_ns(row);
    if (time == 0) continue;
    first = first == 0 ? time : std::min(first, time);
    last = std::max(last, time);
  }
  if (first == 0)
    return fail(ErrorCode::NotFound, "no sample of the profile says when it was taken", "leave --from and --until out");
  return fail(ErrorCode::NotFound, "no sample is of that time",
              "they are from " + time_text(first) + " to " + time_text(last));
}

}  // namespace

std::string as_data(std::string_view name) {
  std::string text = printable(name.substr(0, 4 * kLongest));
  if (text.size() > kLongest) {
    size_t end = kLongest;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
    text = text.substr(0, end) + "…";
  }
  if (is_plain(text)) return text;
  std::ranges::replace(text, '\'', '"');
  return "'" + text + "'";
}

std::string listed_data(const std::vector<std::string>& names) {
  std::string text = joined(std::span(names).first(std::min(names.size(), kMostListed)), ", ", as_data);
  if (names.size() > kMostListed) text += " and " + std::to_string(names.size() - kMostListed) + " more";
  return text.empty() ? "none" : text;
}

std::vector<std::string> label_keys(const Profile& profile) {
  std::set<std::string> keys;
  for (uint32_t i = 1; i < profile.labels.size() && keys.size() < kMostCollected; ++i)
    if (const std::string_view key = profile.text(profile.labels[LabelId{i}].key); !key.empty()) keys.emplace(key);
  return {keys.begin(), keys.end()};
}

Result<> check_label_key(const Profile& profile, const std::string& key) {
  const std::vector<std::string> keys = label_keys(profile);
  if (std::ranges::find(keys, key) != keys.end()) return {};
  return fail(ErrorCode::NotFound, "no sample carries the label " + as_data(key),
              keys.empty() ? "the samples of this profile have no labels" : "there are " + listed_data(keys));
}

Result<> check_dimension(const Profile& profile, const reduce::Dimension& by) {
  if (by.kind != reduce::DimensionKind::Label || profile.samples.size() == 0) return {};
  return check_label_key(profile, by.label_key);
}

Error why_nothing(const Profile& profile, const reduce::FilterOptions& filter) {
  for (const reduce::LabelCondition& label : filter.labels) {
    if (const auto known = check_label_key(profile, label.key); !known.ok()) return known.error();
    if (keeps_nothing(profile, {.labels = {label}})) return no_value(profile, label);
  }
  if (!filter.focus.empty() && keeps_nothing(profile, {.focus = filter.focus})) return no_function(profile, filter.focus);
  if (!filter.ignore.empty() && keeps_nothing(profile, {.ignore = filter.ignore}))
    return fail(ErrorCode::NotFound, "every sample matches --ignore '" + filter.ignore + "'", "ignore less");
  if (!filter.leaf.empty() && keeps_nothing(profile, {.leaf = filter.leaf}))
    return fail(ErrorCode::NotFound, "no sample ends in a function, file or module that matches '" + filter.leaf + "'",
                "those that pass through one: --focus");
  if ((filter.from_ns || filter.to_ns) && keeps_nothing(profile, {.from_ns = filter.from_ns, .to_ns = filter.to_ns}))
    return no_time(profile);
  return fail(ErrorCode::NotFound, "no sample meets all conditions at once", "each by itself is met: leave one out");
}

}  // namespace atys::verbs

// SPDX-License-Identifier: Apache-2.0
// Windows for tests of stores, and what a store has to answer about them.
#pragma once

#include <algorithm>
#include <cstring>
#include <regex>
#include <span>
#include <string>
#include <vector>

#include "profile/import.h"
#include "reduce/merge.h"
#include "store/profile_store.h"
#include "support/profile_text.h"

namespace atys::test {

inline constexpr int64_t kSecond = 1'000'000'000;
inline constexpr int64_t kMinute = 60 * kSecond;
inline constexpr int64_t kHour = 60 * kMinute;
inline constexpr int64_t kDay = 24 * kHour;
inline constexpr int64_t kNoon = 1'790'000'000 / 86'400 * 86'400 * kSecond + 12 * kHour;  // of some day

inline store::Id id_of(uint64_t number) {
  store::Id id{};
  id[0] = 0xa7;
  std::memcpy(id.data() + 8, &number, sizeof number);
  return id;
}

// A window of ten seconds.
inline store::Window window_at(uint64_t number, int64_t start_ns, Profile profile) {
  store::Window window;
  window.id = id_of(number);
  window.service = "shop";
  window.kind = "cpu";
  window.version = "1.0";
  window.node = "node-a";
  window.instance = "shop-0";
  window.start_ns = start_ns;
  window.end_ns = start_ns + 10 * kSecond;
  window.profile = std::move(profile);
  return window;
}

inline store::Window window_at(uint64_t number, int64_t start_ns, std::string_view text) {
  return window_at(number, start_ns, profile_from_text(text));
}

inline store::Selection all_of(int64_t from_ns = kNoon - kDay, int64_t to_ns = kNoon + kDay) {
  return {.service = "shop", .kind = "cpu", .from_ns = from_ns, .to_ns = to_ns};
}

// The profile without labels and times of its samples.
inline Profile stacks_only(const Profile& profile) {
  Profile result;
  profile::Importer importer(profile, result);
  importer.copy_header();
  std::vector<int64_t> values(profile.value_types().size());
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    for (size_t type = 0; type < values.size(); ++type) values[type] = profile.samples.value(row, type);
    result.samples.add(importer.stack(profile.samples.stack(row)), {}, values);
  }
  return result;
}

inline std::string value_of(const store::Window& window, const std::string& name) {
  if (name == "service") return window.service;
  if (name == "kind") return window.kind;
  if (name == "version") return window.version;
  if (name == "node") return window.node;
  if (name == "instance") return window.instance;
  for (const auto& [key, value] : window.labels)
    if (key == name) return value;
  return {};
}

inline bool fits(const store::Window& window, const store::Matcher& matcher) {
  using How = store::Matcher::How;
  const std::string value = value_of(window, matcher.name);
  const bool is_pattern = matcher.how == How::Like || matcher.how == How::NotLike;
  const bool is_alike = is_pattern ? std::regex_match(value, std::regex(matcher.value)) : value == matcher.value;
  return is_alike == (matcher.how == How::Equal || matcher.how == How::Like);
}

inline bool is_selected(const store::Window& window, const store::Selection& selection) {
  return (selection.service.empty() || window.service == selection.service) &&
         (selection.kind.empty() || window.kind == selection.kind) && window.start_ns >= selection.from_ns &&
         window.start_ns < selection.to_ns &&
         std::ranges::all_of(selection.matchers, [&](const auto& matcher) { return fits(window, matcher); });
}

// What reduce::merge makes of the windows that are asked for.
inline Profile expected_merge(std::span<const store::Window> windows, const store::Selection& selection,
                              store::Detail detail) {
  reduce::Merger merger;
  for (const store::Window& window : windows) {
    if (!is_selected(window, selection)) continue;
    merger.add(detail == store::Detail::Samples ? window.profile : stacks_only(window.profile));
  }
  return merger.finish();
}

}  // namespace atys::test

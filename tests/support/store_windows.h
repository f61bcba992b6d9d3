// SPDX-License-Identifier: Apache-2.0
// Windows for tests of stores, and what a store has to answer about them.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
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

inline bool is_selected(const store::Window& window, const store::Selection& selection) {
  return window.service == selection.service && window.kind == selection.kind && window.start_ns >= selection.from_ns &&
         window.start_ns < selection.to_ns && (!selection.version || *selection.version == window.version) &&
         (!selection.node || *selection.node == window.node) &&
         (!selection.instance || *selection.instance == window.instance) &&
         std::ranges::all_of(selection.labels, [&](const auto& label) {
           return std::ranges::find(window.labels, label) != window.labels.end();
         });
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

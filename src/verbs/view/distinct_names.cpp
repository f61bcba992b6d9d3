// SPDX-License-Identifier: Apache-2.0
#include "verbs/view/distinct_names.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "verbs/view/detail.h"

namespace atys::verbs {

namespace {

constexpr std::string_view kBefore = " […";
constexpr std::string_view kAfter = "…]";
constexpr std::string_view kBounds = "<>(), ";

// Up to where both are the same.
size_t common_bytes(std::string_view a, std::string_view b) {
  return static_cast<size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
}

// The word of `whole` around the first place in which it differs from any of the others.
std::string_view telling_part(std::string_view whole, const std::set<std::string>& others) {
  size_t differs = whole.size();
  for (const std::string& other : others)
    if (other != whole) differs = std::min(differs, common_bytes(whole, other));
  if (differs >= whole.size()) return {};
  const size_t before = differs == 0 ? std::string_view::npos : whole.find_last_of(kBounds, differs - 1);
  const size_t begin = before == std::string_view::npos ? 0 : before + 1;
  return whole.substr(begin, whole.find_first_of("<>,) ", differs) - begin);
}

}  // namespace

void keep_apart(std::vector<ShortName>& names, size_t most_bytes) {
  static constexpr size_t kLeastRoom = 24;  // below, there is no place for both
  if (most_bytes < kLeastRoom) return;
  std::map<std::string, std::set<std::string>> whole_names;
  for (const ShortName& name : names) whole_names[*name.shown].insert(name.whole);
  for (ShortName& name : names) {
    const std::set<std::string>& wholes = whole_names[*name.shown];
    if (wholes.size() < 2) continue;
    const std::string_view part = telling_part(name.whole, wholes);
    if (part.empty()) continue;
    const std::string told = shorten_middle(part, most_bytes / 2 - kBefore.size() - kAfter.size());
    *name.shown = shorten_middle(*name.shown, most_bytes / 2) + std::string(kBefore) + told + std::string(kAfter);
  }
}

}  // namespace atys::verbs

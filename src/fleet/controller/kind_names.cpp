// SPDX-License-Identifier: Apache-2.0
#include "fleet/controller/kind_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace atys::fleet {

namespace {

constexpr size_t kLongest = 100;

constexpr std::array<std::pair<std::string_view, std::string_view>, 18> kKnown{{
    {"cpu", "cpu"},
    {"on-cpu", "cpu"},
    {"itimer", "cpu"},
    {"wall", "wall"},
    {"wall-time", "wall"},
    {"off-cpu", "off-cpu"},
    {"offcpu", "off-cpu"},
    {"alloc", "alloc"},
    {"alloc-space", "alloc"},
    {"alloc-objects", "alloc"},
    {"inuse-space", "alloc"},
    {"inuse-objects", "alloc"},
    {"space", "alloc"},
    {"lock", "lock"},
    {"mutex", "lock"},
    {"block", "lock"},
    {"contentions", "lock"},
    {"delay", "lock"},
}};

std::string plain(std::string_view name) {
  std::string text(name.substr(0, kLongest));
  for (char& c : text) c = c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::string known_kind(std::string_view name) {
  const std::string text = plain(name);
  const auto* const found = std::find_if(kKnown.begin(), kKnown.end(), [&](const auto& pair) { return pair.first == text; });
  return found == kKnown.end() ? "" : std::string(found->second);
}

}  // namespace

std::string kind_of(std::string_view type, std::string_view unit, std::string_view period_type) {
  if (std::string kind = known_kind(type); !kind.empty()) return kind;
  if (std::string kind = known_kind(period_type); !kind.empty()) return kind;
  // These say less than another column of the same rows does.
  for (const std::string_view vague : {"", "samples", "sample", "waits", "wakeup"})
    if (type == vague) return {};
  if (type == "events" && unit == "count") return {};
  return "event:" + plain(type);
}

}  // namespace atys::fleet

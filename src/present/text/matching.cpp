// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "present/text/answers.h"
#include "present/text/numbers.h"

namespace atys::present::text {

namespace {

constexpr size_t kMostPlaces = 3;
constexpr size_t kMostOfAPath = 60;

std::string path(const std::string& raw) { return raw.empty() ? "." : name(raw, kMostOfAPath); }

std::string functions(size_t count) { return fmt::format("{} function{}", count, count == 1 ? "" : "s"); }

// "41 functions of /w/old as of /w/new", the most first; all together they are `all`.
void add_places(std::vector<std::string>& parts, const std::vector<reduce::MatchedPlaces>& places, size_t all,
                const char* of, const char* others) {
  for (size_t i = 0; i < std::min(places.size(), kMostPlaces); ++i) {
    parts.push_back(fmt::format("{} {} {} as {} {}", functions(places[i].functions), of, path(places[i].base), of,
                                path(places[i].fresh)));
    all -= std::min(all, places[i].functions);
  }
  if (all > 0) parts.push_back(functions(all) + " " + others);
}

}  // namespace

std::string matching_line(const reduce::MatchReport& matching, std::string_view base, std::string_view fresh) {
  std::vector<std::string> parts;
  add_places(parts, matching.folders, matching.by_folder, "of", "of other folders");
  add_places(parts, matching.files, matching.by_file, "in", "in other files");
  if (matching.by_name > 0) parts.push_back(fmt::format("{} spelled otherwise", functions(matching.by_name)));
  if (matching.by_line > 0) parts.push_back(fmt::format("{} without a name whose line moved", functions(matching.by_line)));
  if (parts.empty()) return {};
  if (matching.same_place > 0) parts.push_back(fmt::format("{} where they were", functions(matching.same_place)));
  std::string text = "matched: " + joined(parts, "; ");
  if (matching.only_base + matching.only_fresh > 0)
    text += fmt::format("; {} seen only in {}, {} only in {}", matching.only_base, base, matching.only_fresh, fresh);
  return text + "\n";
}

}  // namespace atys::present::text

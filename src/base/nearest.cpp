// SPDX-License-Identifier: Apache-2.0
#include "base/nearest.h"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace atys {

namespace {

constexpr size_t kMost = 3;
constexpr size_t kLongest = 200;  // of what is compared letter by letter

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// Letters to insert, remove or change (Levenshtein).
size_t edits(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0]++;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t change = diagonal + (lower(a[i]) == lower(b[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({change, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string> nearest_names(std::string_view wanted, const std::vector<std::string>& names) {
  wanted = wanted.substr(0, kLongest);
  std::vector<std::pair<size_t, std::string>> found;
  for (const std::string& name : names) {
    const std::string_view start = std::string_view(name).substr(0, kLongest);
    const bool is_part = !wanted.empty() && (name.find(wanted) != std::string::npos || wanted.find(start) == 0);
    const size_t distance = is_part ? 1 : edits(wanted, start);
    if (distance <= std::max<size_t>(2, wanted.size() / 3)) found.emplace_back(distance, name);
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> best;
  for (size_t i = 0; i < std::min(kMost, found.size()); ++i) best.push_back(std::move(found[i].second));
  return best;
}

std::string did_you_mean(std::string_view wanted, const std::vector<std::string>& names, std::string otherwise) {
  const std::vector<std::string> best = nearest_names(wanted, names);
  if (best.empty()) return otherwise;
  std::string text = "did you mean ";
  for (size_t i = 0; i < best.size(); ++i) text += (i == 0 ? "" : i + 1 == best.size() ? " or " : ", ") + best[i];
  return text + "?";
}

}  // namespace atys

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

// Letters to insert, remove, change, or take in the other order (optimal string alignment).
size_t edits(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    before.swap(above);
    above.swap(row);
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const bool is_same = lower(a[i]) == lower(b[j]);
      row[j + 1] = std::min({above[j] + (is_same ? 0 : 1), row[j] + 1, above[j + 1] + 1});
      if (i > 0 && j > 0 && lower(a[i]) == lower(b[j - 1]) && lower(a[i - 1]) == lower(b[j]))
        row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
    }
  }
  return row.back();
}

// Two letters of four are another word.
size_t most_edits(std::string_view wanted) { return wanted.size() <= 5 ? 1 : std::max<size_t>(2, wanted.size() / 3); }

}  // namespace

std::vector<std::string> nearest_names(std::string_view wanted, const std::vector<std::string>& names) {
  wanted = wanted.substr(0, kLongest);
  std::vector<std::pair<size_t, std::string>> found;
  for (const std::string& name : names) {
    const std::string_view start = std::string_view(name).substr(0, kLongest);
    const bool is_part = !wanted.empty() && (name.find(wanted) != std::string::npos || wanted.find(start) == 0);
    const size_t distance = is_part ? 1 : edits(wanted, start);
    if (distance <= most_edits(wanted)) found.emplace_back(distance, name);
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> best;
  // What is further off than the best is not what was meant.
  for (size_t i = 0; i < std::min(kMost, found.size()) && found[i].first == found[0].first; ++i)
    best.push_back(std::move(found[i].second));
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

// SPDX-License-Identifier: Apache-2.0
#include "reduce/matching/renamed_files.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace atys::reduce::matching {

namespace {

// Endings of one language: what is renamed stays in its own.
constexpr std::string_view kLanguages[] = {".py.pyx.pyi.",
                                           ".js.mjs.cjs.ts.mts.cts.tsx.jsx.vue.svelte.",
                                           ".c.cc.cpp.cxx.h.hh.hpp.hxx.inc.ipp.cu.s.asm.",
                                           ".java.kt.kts.scala.groovy.clj.",
                                           ".rb.rake.",
                                           ".php.inc.phtml."};

std::string_view ending(std::string_view name) {
  const size_t dot = name.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? std::string_view() : name.substr(dot);
}

bool is_same_language(std::string_view a, std::string_view b) {
  const std::string_view of_a = ending(a);
  const std::string_view of_b = ending(b);
  if (of_a == of_b) return true;
  return std::ranges::any_of(kLanguages, [&](std::string_view endings) {
    const auto has = [&](std::string_view one) {
      return !one.empty() && endings.find(std::string(one) + ".") != std::string_view::npos;
    };
    return has(of_a) && has(of_b);
  });
}

// The words of a name in lower case, without its ending, versions and hashes.
std::string words_of(std::string_view name) {
  name = name.substr(0, name.size() - ending(name).size());
  std::string words;
  for (size_t start = 0; start <= name.size();) {
    const size_t end = std::min(name.find_first_of("._-", start), name.size());
    const std::string_view word = name.substr(start, end - start);
    if (!word.empty() && without_version(word) != "#")
      for (const char c : word) words += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    start = end + 1;
  }
  return words;
}

size_t common_functions(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  size_t count = 0;
  for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end();) {
    if (*x == *y) ++count;
    if (*x < *y)
      ++x;
    else if (*y < *x)
      ++y;
    else
      ++x, ++y;
  }
  return count;
}

struct Owners {
  uint32_t base = 0, fresh = 0;
  uint32_t base_count = 0, fresh_count = 0;
};

using Shared = std::map<std::pair<uint32_t, uint32_t>, size_t>;  // positions on both sides → functions that both have alone

Shared shared_functions(const std::vector<LeftFile>& base, const std::vector<LeftFile>& fresh) {
  std::map<std::string_view, Owners> owners;
  for (uint32_t i = 0; i < base.size(); ++i)
    for (const std::string& name : base[i].file->functions) {
      owners[name].base = i;
      ++owners[name].base_count;
    }
  for (uint32_t i = 0; i < fresh.size(); ++i)
    for (const std::string& name : fresh[i].file->functions) {
      owners[name].fresh = i;
      ++owners[name].fresh_count;
    }
  Shared shared;
  for (const auto& [name, of] : owners)
    if (of.base_count == 1 && of.fresh_count == 1) ++shared[{of.base, of.fresh}];
  return shared;
}

bool is_renamed(const LeftFile& a, const LeftFile& b, size_t shared) {
  if (a.path->package != b.path->package || !is_same_language(a.path->name(), b.path->name())) return false;
  if (has_similar_name(a.path->name(), b.path->name())) return share_half(a.file->functions, b.file->functions);
  const size_t larger = std::max(a.file->functions.size(), b.file->functions.size());
  return shared >= 2 && 2 * shared >= larger;
}

}  // namespace

bool share_half(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  const size_t common = common_functions(a, b);
  return common > 0 && 2 * common >= std::min(a.size(), b.size());
}

bool has_similar_name(std::string_view a, std::string_view b) {
  static constexpr size_t kShortest = 3;
  if (!is_same_language(a, b)) return false;
  const std::string of_a = words_of(a);
  const std::string of_b = words_of(b);
  const std::string& shorter = of_a.size() < of_b.size() ? of_a : of_b;
  const std::string& longer = of_a.size() < of_b.size() ? of_b : of_a;
  return shorter.size() >= kShortest ? longer.starts_with(shorter) || longer.ends_with(shorter) : shorter == longer;
}

std::vector<std::pair<uint32_t, uint32_t>> renamed_files(const std::vector<LeftFile>& base,
                                                         const std::vector<LeftFile>& fresh) {
  const Shared shared = shared_functions(base, fresh);
  // What each file shares most with, and whether that is more than with any other.
  std::vector<std::pair<size_t, size_t>> best_of_base(base.size()), best_of_fresh(fresh.size());  // most, second
  const auto note = [](std::pair<size_t, size_t>& best, size_t count) {
    if (count > best.first)
      best = {count, best.first};
    else
      best.second = std::max(best.second, count);
  };
  for (const auto& [pair, count] : shared) {
    note(best_of_base[pair.first], count);
    note(best_of_fresh[pair.second], count);
  }
  std::vector<std::pair<uint32_t, uint32_t>> renamed;
  for (const auto& [pair, count] : shared) {
    const auto is_clear = [&](const std::pair<size_t, size_t>& best) { return count == best.first && count > best.second; };
    if (!is_clear(best_of_base[pair.first]) || !is_clear(best_of_fresh[pair.second])) continue;
    if (is_renamed(base[pair.first], fresh[pair.second], count))
      renamed.emplace_back(base[pair.first].id, fresh[pair.second].id);
  }
  return renamed;
}

}  // namespace atys::reduce::matching

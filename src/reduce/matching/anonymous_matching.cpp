// SPDX-License-Identifier: Apache-2.0
#include "reduce/matching/anonymous_matching.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>

namespace atys::reduce::matching {

namespace {

using Lines = std::vector<std::pair<int64_t, int64_t>>;  // sorted by the first
using Kind = std::pair<std::string_view, std::string_view>;
using Members = std::vector<AnonymousFunction>;

// Where a line went, as the last named function before it did.
int64_t moved(int64_t line, const Lines& named) {
  const auto next = std::ranges::upper_bound(named, line, {}, &std::pair<int64_t, int64_t>::first);
  return next == named.begin() ? line : line + (next - 1)->second - (next - 1)->first;
}

Kind kind_of(const AnonymousFunction& function) { return {function.name.word, function.name.around}; }

// How far most of them moved, where no named function tells: the one distance that at least two agree on, and more than on
// any other.
std::optional<int64_t> common_distance(const Members& base, const Members& fresh) {
  static constexpr size_t kMostPairs = 10'000;
  if (base.size() * fresh.size() > kMostPairs) return std::nullopt;
  std::map<int64_t, size_t> votes;
  for (const AnonymousFunction& a : base)
    for (const AnonymousFunction& b : fresh)
      if (kind_of(a) == kind_of(b)) ++votes[b.name.line - a.name.line];
  size_t most = 1;
  std::optional<int64_t> distance;
  for (const auto& [by, count] : votes) {
    if (count == most) distance.reset();
    if (count <= most) continue;
    most = count;
    distance = by;
  }
  return distance;
}

}  // namespace

void AnonymousMatcher::add_named(int64_t base_line, int64_t fresh_line) {
  // What begins with the file, as a module of Python does, does not move with what is in it.
  const auto is_line = [](int64_t line) { return line > 1 && line <= kMostLines; };
  if (is_line(base_line) && is_line(fresh_line)) named_.emplace_back(base_line, fresh_line);
}

std::vector<std::pair<uint32_t, uint32_t>> AnonymousMatcher::match(const Members& base, const Members& fresh) {
  if (base.empty() || fresh.empty()) return {};
  Lines there = named_;
  if (there.empty())
    if (const auto distance = common_distance(base, fresh)) there.emplace_back(INT64_MIN / 4, INT64_MIN / 4 + *distance);
  Lines back;
  for (const auto& [from, to] : there) back.emplace_back(to, from);
  std::ranges::sort(there);
  std::ranges::sort(back);

  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  std::set<uint32_t> base_taken, fresh_taken;
  const auto take = [&](const AnonymousFunction& a, const AnonymousFunction& b) {
    if (base_taken.contains(a.id) || fresh_taken.contains(b.id)) return;
    pairs.emplace_back(a.id, b.id);
    base_taken.insert(a.id);
    fresh_taken.insert(b.id);
  };

  std::map<std::pair<Kind, int64_t>, const AnonymousFunction*> by_line;
  for (const AnonymousFunction& of : fresh) by_line[{kind_of(of), of.name.line}] = &of;
  for (const AnonymousFunction& of : base) {
    const auto found = by_line.find({kind_of(of), moved(of.name.line, there)});
    if (found != by_line.end() && moved(found->second->name.line, back) == of.name.line) take(of, *found->second);
  }

  std::map<Kind, std::pair<Members, Members>> left;
  for (const AnonymousFunction& of : base)
    if (!base_taken.contains(of.id)) left[kind_of(of)].first.push_back(of);
  for (const AnonymousFunction& of : fresh)
    if (!fresh_taken.contains(of.id)) left[kind_of(of)].second.push_back(of);
  for (auto& [kind, sides] : left) {
    if (sides.first.size() != sides.second.size()) continue;
    const auto line = [](const AnonymousFunction& of) { return of.name.line; };
    std::ranges::sort(sides.first, {}, line);
    std::ranges::sort(sides.second, {}, line);
    for (size_t i = 0; i < sides.first.size(); ++i) take(sides.first[i], sides.second[i]);
  }
  return pairs;
}

}  // namespace atys::reduce::matching

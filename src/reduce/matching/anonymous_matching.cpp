// SPDX-License-Identifier: Apache-2.0
#include "reduce/matching/anonymous_matching.h"

#include <algorithm>
#include <map>
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

}  // namespace

void AnonymousMatcher::add_named(int64_t base_line, int64_t fresh_line) {
  if (base_line > 0 && fresh_line > 0) named_.emplace_back(base_line, fresh_line);
}

std::vector<std::pair<uint32_t, uint32_t>> AnonymousMatcher::match(const Members& base, const Members& fresh) {
  if (base.empty() || fresh.empty()) return {};
  Lines there = named_;
  Lines back;
  for (const auto& [from, to] : named_) back.emplace_back(to, from);
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

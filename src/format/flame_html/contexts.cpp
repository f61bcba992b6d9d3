// SPDX-License-Identifier: Apache-2.0
#include "format/flame_html/contexts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "format/thread_groups.h"
#include "reduce/label_text.h"

namespace atys::format::flame_html {

using namespace profile;
using reduce::FlameInput;

namespace {

constexpr size_t kMostLabels = 6;        // facets of labels
constexpr size_t kMostLabelValues = 40;  // more are no choice but a search
constexpr size_t kMostThreads = 2000;    // the others are one entry
constexpr size_t kLongestValue = 200;    // bytes
constexpr uint32_t kUnused = UINT32_MAX;

// "worker (4711)"; what is not known is left out.
std::string named(const std::string& name, const std::string& id) {
  if (name.empty()) return id;
  return id.empty() || id == name ? name : name + " (" + id + ")";
}

std::string bounded(std::string text) {
  if (text.size() <= kLongestValue) return text;
  size_t end = kLongestValue;
  while (end > 0 && (text[end] & 0xc0) == 0x80) --end;
  return text.substr(0, end) + "…";
}

std::vector<bool> sets_in_use(const Profile& profile) {
  std::vector<bool> is_used(profile.label_sets.size(), false);
  for (size_t row = 0; row < profile.samples.size(); ++row) is_used[raw(profile.samples.labels(row))] = true;
  return is_used;
}

// How many samples lie behind each label set: what is worth more is shown first.
std::vector<double> worth_of_sets(const FlameInput& input) {
  const SampleTable& samples = input.profile->samples;
  std::vector<double> worth(input.profile->label_sets.size(), 0);
  for (size_t row = 0; row < samples.size(); ++row) {
    if (samples.value_columns() > 0)
      worth[raw(samples.labels(row))] += std::abs(static_cast<double>(samples.value(row, input.column)));
  }
  return worth;
}

}  // namespace

// The values of a facet as they are met, each once, and what they are worth.
class Contexts::Values {
 public:
  uint32_t add(const std::string& value, double worth) {
    const auto [found, is_new] = numbers_.emplace(value, static_cast<uint32_t>(numbers_.size()));
    if (is_new) worth_.push_back(0);
    worth_[found->second] += worth;
    return found->second;
  }

  // All of them, the one worth most first.
  std::vector<std::pair<std::string, uint32_t>> ranked() const {
    std::vector<std::pair<std::string, uint32_t>> values(numbers_.begin(), numbers_.end());
    std::ranges::sort(values, {}, [&](const auto& value) { return std::pair(-worth_[value.second], value.first); });
    return values;
  }

 private:
  std::unordered_map<std::string, uint32_t> numbers_;
  std::vector<double> worth_;
};

Contexts::Contexts(std::span<const FlameInput> inputs) : by_name_(inputs.size() > 1) {
  facets_.push_back({.kind = Facet::Kind::Process, .name = "process", .values = {}});
  facets_.push_back({.kind = Facet::Kind::Thread, .name = "thread", .values = {}});
  choose_labels(inputs);
  std::vector<Values> values(facets_.size());
  for (const FlameInput& input : inputs) take_sets(input, values);
  rank(values);
  for (size_t facet = facets_.size(); facet-- > 0;) {
    if (facets_[facet].values.size() < 2) drop(facet);
  }
  for (size_t facet = 0; facet < facets_.size(); ++facet) {
    if (facets_[facet].kind != Facet::Kind::Label) fold(facet, kMostThreads);
  }
  unite();
}

void Contexts::choose_labels(std::span<const FlameInput> inputs) {
  std::map<std::string, std::set<std::string>> values_of;
  for (const FlameInput& input : inputs) {
    const Profile& profile = *input.profile;
    const std::vector<bool> is_used = sets_in_use(profile);
    std::vector<std::set<std::string>*> values_by_key(profile.strings.size(), nullptr);
    for (uint32_t set = 0; set < is_used.size(); ++set) {
      if (!is_used[set]) continue;
      for (const LabelId id : profile.label_sets[LabelSetId{set}]) {
        const Label& label = profile.labels[id];
        std::set<std::string>*& values = values_by_key[raw(label.key)];
        if (values == nullptr) values = &values_of[std::string(profile.text(label.key))];
        const bool is_text = label.type != LabelType::Bytes && label.type != LabelType::Json;
        if (is_text && values->size() <= kMostLabelValues) values->insert(reduce::value_text(profile, label));
      }
    }
  }
  std::vector<std::pair<size_t, std::string>> few;
  for (const auto& [key, values] : values_of) {
    const bool is_few = !values.empty() && values.size() <= kMostLabelValues;
    if (is_few && !key.empty() && !tells_thread(key)) few.emplace_back(values.size(), key);
  }
  std::ranges::sort(few);
  for (const auto& [count, key] : few) {
    // One value that only some samples have tells them apart from the others, too.
    if (facets_.size() < 2 + kMostLabels) facets_.push_back({.kind = Facet::Kind::Label, .name = key, .values = {}});
  }
}

// A context for each label set that samples have, its values numbered as they come; unite() makes equal ones one.
void Contexts::take_sets(const FlameInput& input, std::vector<Values>& values) {
  const Profile& profile = *input.profile;
  const std::vector<bool> is_used = sets_in_use(profile);
  const std::vector<double> worth = worth_of_sets(input);
  std::vector<uint32_t>& contexts = of_set_.emplace_back(is_used.size(), kUnused);
  for (uint32_t set = 0; set < is_used.size(); ++set) {
    if (!is_used[set]) continue;
    const ThreadIdentity thread = thread_of(profile, LabelSetId{set});
    std::vector<uint32_t> members{
        values[0].add(bounded(named(thread.process_name, by_name_ ? "" : thread.process_id)), worth[set]),
        values[1].add(bounded(named(thread.thread_name, by_name_ ? "" : thread.thread_id)), worth[set])};
    for (size_t facet = 2; facet < facets_.size(); ++facet) {
      const std::string text = reduce::label_text(profile, LabelSetId{set}, facets_[facet].name);
      members.push_back(values[facet].add(bounded(text), worth[set]));
    }
    contexts[set] = static_cast<uint32_t>(members_.size());
    members_.push_back(std::move(members));
  }
}

void Contexts::rank(std::vector<Values>& values) {
  for (size_t facet = 0; facet < facets_.size(); ++facet) {
    const auto ranked = values[facet].ranked();
    std::vector<uint32_t> place(ranked.size());
    for (const auto& [value, number] : ranked) {
      place[number] = static_cast<uint32_t>(facets_[facet].values.size());
      facets_[facet].values.push_back(value.empty() ? "(none)" : value);
    }
    for (std::vector<uint32_t>& members : members_) members[facet] = place[members[facet]];
  }
}

// Keeps the first `most` values, the last of which stands for all the others.
void Contexts::fold(size_t facet, size_t most) {
  Facet& folded = facets_[facet];
  if (folded.values.size() <= most) return;
  folded.folded = (folded.folded > 0 ? folded.folded - 1 : 0) + folded.values.size() - most + 1;
  folded.values.resize(most);
  folded.values.back() = "(" + std::to_string(folded.folded) + " others)";
  for (std::vector<uint32_t>& members : members_) members[facet] = std::min(members[facet], static_cast<uint32_t>(most - 1));
}

void Contexts::drop(size_t facet) {
  facets_.erase(facets_.begin() + static_cast<ptrdiff_t>(facet));
  for (std::vector<uint32_t>& members : members_) members.erase(members.begin() + static_cast<ptrdiff_t>(facet));
}

// Contexts that have become the same are one.
void Contexts::unite() {
  std::map<std::vector<uint32_t>, uint32_t> known;
  std::vector<uint32_t> position;
  std::vector<std::vector<uint32_t>> united;
  for (const std::vector<uint32_t>& members : members_) {
    const auto [found, is_new] = known.emplace(members, static_cast<uint32_t>(united.size()));
    if (is_new) united.push_back(members);
    position.push_back(found->second);
  }
  members_ = std::move(united);
  for (std::vector<uint32_t>& contexts : of_set_) {
    for (uint32_t& context : contexts) {
      if (context != kUnused) context = position[context];
    }
  }
}

bool Contexts::simplify() {
  if (facets_.empty()) return false;
  const auto most = std::ranges::max_element(
      facets_, {}, [](const Facet& facet) { return std::pair(facet.kind == Facet::Kind::Label, facet.values.size()); });
  const auto facet = static_cast<size_t>(most - facets_.begin());
  if (most->kind == Facet::Kind::Label || most->values.size() < 4)
    drop(facet);
  else
    fold(facet, most->values.size() / 2);
  unite();
  return true;
}

}  // namespace atys::format::flame_html

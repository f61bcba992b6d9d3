// SPDX-License-Identifier: Apache-2.0
#include "store/memory/memory_store.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "base/guarded.h"
#include "profile/import.h"
#include "reduce/merge.h"
#include "store/check_window.h"
#include "store/function_stacks.h"
#include "store/question.h"
#include "store/seen_series.h"
#include "store/sequence_set.h"
#include "store/window_groups.h"

namespace atys::store {

using namespace profile;

namespace {

constexpr int64_t kMinuteNs = 60'000'000'000;

// Shared with the questions that are being answered: a window may go meanwhile.
using Kept = std::shared_ptr<const Window>;

struct Sender {
  SequenceSet received;
  size_t windows = 0;  // of it that are kept
};

struct State {
  std::multimap<int64_t, Kept> windows;   // by start
  std::set<std::pair<int64_t, Id>> seen;  // minute and id; minute 0: undated
  std::map<Id, Sender> senders;
  size_t bytes = 0;
  int64_t dropped_before_ns = INT64_MIN;
};

std::pair<int64_t, Id> key_of(const Window& window) {
  return {window.is_undated ? 0 : window.start_ns / kMinuteNs, window.id};
}

size_t bytes_of(const Window& window) { return sizeof window + window.profile.memory_bytes(); }

// Without labels and times of samples.
Profile stacks_of(const Profile& profile) {
  Profile stacks;
  Importer importer(profile, stacks);
  importer.copy_header();
  std::vector<int64_t> values(profile.value_types().size());
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    for (size_t type = 0; type < values.size(); ++type) values[type] = profile.samples.value(row, type);
    stacks.samples.add(importer.stack(profile.samples.stack(row)), {}, values);
  }
  return stacks;
}

Profile merge_windows(const std::vector<Kept>& windows, Detail detail) {
  reduce::Merger merger;
  for (const Kept& window : windows) {
    if (detail == Detail::Samples)
      merger.add(window->profile);
    else
      merger.add(stacks_of(window->profile));
  }
  return merger.finish();
}

// The value type that is asked for, or that the profile shows first; -1: it has none of it.
int column_of(const Profile& profile, const std::string& value_type) {
  if (value_type.empty()) return static_cast<int>(profile.default_value_column());
  for (size_t column = 0; column < profile.value_types().size(); ++column)
    if (profile.text(profile.value_types()[column].type) == value_type) return static_cast<int>(column);
  return -1;
}

void add_window(const Profile& profile, size_t column, const std::string& function, SeriesPoint& point) {
  const std::vector<uint8_t> stacks = function.empty() ? std::vector<uint8_t>() : stacks_of_function(profile, function);
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    const int64_t value = profile.samples.value(row, column);
    const uint8_t role = stacks.empty() ? uint8_t{0} : stacks[raw(profile.samples.stack(row))];
    add_value(point.total, value);
    if ((role & kPassesFunction) != 0) add_value(point.function_total, value);
    if ((role & kEndsInFunction) != 0) add_value(point.function_self, value);
  }
  ++point.windows;
}

SeenSeries seen_of(const Window& window) {
  return {.service = window.service,
          .kind = window.kind,
          .version = window.version,
          .node = window.node,
          .instance = window.instance,
          .labels = window.labels,
          .stretch = window.stretch,
          .first_ns = window.start_ns,
          .last_ns = window.start_ns,
          .windows = 1};
}

class MemoryStore final : public ProfileStore {
 public:
  explicit MemoryStore(size_t most_bytes) : most_bytes_(most_bytes) {}

  Result<Appended> append(std::span<const Window> windows) override;
  Result<uint64_t> acknowledged(const Id& sender) override;
  Result<Merged> merge(const Selection& selection, Detail detail) override;
  Result<Series> series(const SeriesQuery& query) override;
  Result<std::vector<WindowGroup>> groups(const Selection& selection, const Grouping& grouping, Missing* missing) override;
  Result<MergedGroups> merge_grouped(const Selection& selection, const Grouping& grouping) override;
  Result<Names> label_names(const Selection& selection, size_t most, Missing* missing) override;
  Result<Names> label_values(std::string_view name, const Selection& selection, size_t most, Missing* missing) override;
  Result<std::vector<ServiceEntry>> services(Missing* missing) override;
  Result<std::vector<InstanceEntry>> instances(std::string_view service, Missing* missing) override;
  Result<Holdings> holdings() override;

 private:
  struct Found {
    std::vector<Kept> windows;  // oldest first
    Coverage coverage;
  };
  Found find(const Question& question);
  // Every window of the question as a series of its own.
  template <typename Visit>
  Result<> see(const Question& question, const Visit& visit);
  void drop_to_fit(State& state) const;

  size_t most_bytes_;
  Guarded<State> state_;
};

// Whether it was new.
bool claim(State& state, const Window& window) {
  if (window.mark.sequence != 0) {
    SequenceSet& received = state.senders[window.mark.sender].received;
    if (received.contains(window.mark.sequence)) return false;
    received.add(window.mark.sequence, window.mark.sequence);
  }
  return state.seen.insert(key_of(window)).second;
}

Result<Appended> MemoryStore::append(std::span<const Window> windows) {
  Appended result;
  const auto state = state_.lock();
  for (size_t i = 0; i < windows.size(); ++i) {
    const Window& window = windows[i];
    Result<> checked = check_window(window);
    if (checked.ok() && window.start_ns < state->dropped_before_ns)
      checked = fail(ErrorCode::InvalidInput, "window refused: older than the windows that are kept");
    if (!checked.ok()) {
      result.refused.push_back({i, checked.error()});
      continue;
    }
    const bool is_new = claim(*state, window);
    ++(is_new ? result.added : result.duplicates);
    if (!is_new) continue;
    auto kept = std::make_shared<Window>(window);
    std::ranges::sort(kept->labels);
    if (window.mark.sequence != 0) ++state->senders[window.mark.sender].windows;
    state->bytes += bytes_of(window);
    state->windows.emplace(window.start_ns, std::move(kept));
  }
  drop_to_fit(*state);
  return result;
}

void MemoryStore::drop_to_fit(State& state) const {
  while (state.bytes > most_bytes_ && !state.windows.empty()) {
    const Window& oldest = *state.windows.begin()->second;
    state.dropped_before_ns = oldest.start_ns + 1;
    state.bytes -= bytes_of(oldest);
    state.seen.erase(key_of(oldest));
    const auto sender = state.senders.find(oldest.mark.sender);
    if (oldest.mark.sequence != 0 && --sender->second.windows == 0) state.senders.erase(sender);
    state.windows.erase(state.windows.begin());
  }
}

Result<uint64_t> MemoryStore::acknowledged(const Id& sender) {
  const auto state = state_.lock();
  const auto known = state->senders.find(sender);
  return known == state->senders.end() ? uint64_t{0} : known->second.received.contiguous();
}

MemoryStore::Found MemoryStore::find(const Question& question) {
  const Selection& selection = question.selection;
  Found found;
  found.coverage.from_ns = selection.from_ns;
  found.coverage.to_ns = selection.to_ns;
  const auto state = state_.lock();
  found.coverage.dropped = selection.from_ns < state->dropped_before_ns;
  found.coverage.exact = !found.coverage.dropped;
  const auto end = state->windows.lower_bound(selection.to_ns);
  for (auto window = state->windows.lower_bound(selection.from_ns); window != end; ++window)
    if (question.filter.fits(names_of(*window->second))) found.windows.push_back(window->second);
  return found;
}

Result<Merged> MemoryStore::merge(const Selection& selection, Detail detail) {
  Found found = find(TRY(question_of(selection)));
  found.coverage.windows = found.windows.size();
  return Merged{merge_windows(found.windows, detail), std::move(found.coverage)};
}

Result<Series> MemoryStore::series(const SeriesQuery& query) {
  const Question question = TRY(question_of(query.selection));
  Series answer = TRY(begin_series(query));
  Found found = find(question);
  answer.coverage = std::move(found.coverage);
  for (const Kept& window : found.windows) {
    const Profile& profile = window->profile;
    const int column = profile.value_types().empty() ? -1 : column_of(profile, query.value_type);
    if (column < 0) continue;
    const int64_t step = (window->start_ns - query.selection.from_ns) / query.step_ns;
    add_window(profile, static_cast<size_t>(column), query.function, answer.points[static_cast<size_t>(step)]);
    const ValueType& type = profile.value_types()[static_cast<size_t>(column)];
    answer.value_type = profile.text(type.type);
    answer.unit = profile.text(type.unit);
    ++answer.coverage.windows;
  }
  return answer;
}

template <typename Visit>
Result<> MemoryStore::see(const Question& question, const Visit& visit) {
  for (const Kept& window : find(question).windows) TRY(visit(seen_of(*window)));
  return {};
}

Result<std::vector<WindowGroup>> MemoryStore::groups(const Selection& selection, const Grouping& grouping, Missing*) {
  GroupList groups = TRY(GroupList::create(grouping));
  TRY(see(TRY(question_of(selection)), [&](const SeenSeries& seen) { return groups.add(seen); }));
  return std::move(groups).finish();
}

Result<MergedGroups> MemoryStore::merge_grouped(const Selection& selection, const Grouping& grouping) {
  Found found = find(TRY(question_of(selection)));
  GroupList groups = TRY(GroupList::create(grouping));
  for (const Kept& window : found.windows) TRY(groups.add(seen_of(*window)));
  std::map<GroupList::Part, std::vector<Kept>> parts;
  for (const Kept& window : found.windows)
    parts[groups.part_of(groups.position_of(seen_of(*window)), window->start_ns)].push_back(window);
  MergedGroups merged{.coverage = std::move(found.coverage)};
  merged.coverage.windows = found.windows.size();
  for (const auto& [part, windows] : parts)
    merged.parts.push_back(
        {groups.groups()[part.group], part.piece, part.is_newest, windows.size(), merge_windows(windows, Detail::Stacks)});
  sort_parts(merged.parts);
  return merged;
}

Result<Names> MemoryStore::label_names(const Selection& selection, size_t most, Missing*) {
  NameList names(most);
  TRY(see(TRY(scope_of(selection)), [&](const SeenSeries& seen) -> Result<> {
    add_names(seen, names);
    return {};
  }));
  return std::move(names).finish();
}

Result<Names> MemoryStore::label_values(std::string_view name, const Selection& selection, size_t most, Missing*) {
  NameList values(most);
  TRY(see(TRY(scope_of(selection)), [&](const SeenSeries& seen) -> Result<> {
    add_value(seen, name, values);
    return {};
  }));
  return std::move(values).finish();
}

Result<std::vector<ServiceEntry>> MemoryStore::services(Missing*) {
  ServiceList services;
  const auto state = state_.lock();
  for (const auto& [start_ns, window] : state->windows) {
    services.add(seen_of(*window));
    services.add_bytes(window->service, bytes_of(*window));
  }
  return services.finish();
}

Result<std::vector<InstanceEntry>> MemoryStore::instances(std::string_view service, Missing*) {
  InstanceList instances;
  const auto state = state_.lock();
  for (const auto& [start_ns, window] : state->windows)
    if (window->service == service) instances.add(seen_of(*window));
  return instances.finish();
}

Result<Holdings> MemoryStore::holdings() {
  const auto state = state_.lock();
  if (state->windows.empty()) return Holdings{};
  return Holdings{state->windows.size(), state->windows.begin()->first, state->windows.rbegin()->first};
}

}  // namespace

std::unique_ptr<ProfileStore> make_memory_store(size_t most_bytes) { return std::make_unique<MemoryStore>(most_bytes); }

}  // namespace atys::store

// SPDX-License-Identifier: Apache-2.0
#include "store/embedded/embedded_store.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>

#include "base/guarded.h"
#include "store/check_window.h"
#include "store/embedded/calendar.h"
#include "store/embedded/day_append.h"
#include "store/embedded/day_compact.h"
#include "store/embedded/day_groups.h"
#include "store/embedded/day_pool.h"
#include "store/embedded/day_read.h"
#include "store/embedded/day_retain.h"
#include "store/question.h"
#include "store/seen_series.h"
#include "store/store_maintenance.h"
#include "store/window_groups.h"

namespace atys::store {

namespace {

// How many files are asked about a sender: one that was away for longer sends again what is there, which does no harm.
constexpr size_t kDaysOfMarks = 8;

// Whatever a disk, a file or a permission does to us is no fault of what was to be stored: it may come again.
Error in_trouble(const Error& error) {
  Error trouble = in_context("the store cannot take it now", error);
  trouble.code = ErrorCode::Unavailable;
  return trouble;
}

Error in_day(int64_t day_ns, const Error& error) { return in_context("store file " + day_file_name(day_ns), error); }

class EmbeddedStore final : public ProfileStore, public StoreMaintenance {
 public:
  EmbeddedStore(EmbeddedOptions options, StoreFolder folder)
      : options_(std::move(options)),
        folder_(std::move(folder)),
        writer_files_(options_.cache_bytes, options_.dictionary_bytes),
        readers_(options_.cache_bytes) {}

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
  StoreMaintenance* maintenance() override { return this; }

  Result<Compacted> compact(int64_t now_ns) override;
  Result<Dropped> retain(const RetentionPolicy& policy, int64_t now_ns) override;
  uint64_t default_max_bytes() const override { return folder_.share_of_disk(); }
  Result<Health> health(bool check_integrity) override;

 private:
  using DayWork = std::function<Result<>(DayFile&)>;

  // Does it to each day that has some of [from, to), oldest first. What is wrong with a file is told in `missing`.
  Result<> read_days(int64_t from_ns, int64_t to_ns, Missing& missing, const DayWork& work);
  Result<> read_all_days(Missing& missing, const DayWork& work) { return read_days(INT64_MIN, INT64_MAX, missing, work); }
  Result<> check_writable() const;
  Coverage coverage_of(const Selection& selection) const;
  // Of the days that have some of the question's range.
  Result<> see(const Question& question, Missing* missing, const SeriesVisit& visit);
  Result<GroupList> list_groups(const Question& question, const Grouping& grouping, Missing& missing);

  // With the writer's lock held.
  Result<Appended> append_day(int64_t day_ns, std::span<const Window* const> windows);
  Result<> with_file(int64_t day_ns, const DayWork& work);
  Result<bool> is_undated_known(const Id& id);

  Result<> compact_day(int64_t day_ns, int64_t now_ns, Compacted& done);
  Result<> drop_by_age(const RetentionPolicy& policy, int64_t now_ns, Dropped& dropped);
  Result<> drop_by_size(const RetentionPolicy& policy, int64_t now_ns, Dropped& dropped);
  Result<> drop_windows_to_fit(uint64_t max_bytes, int64_t before_ns, Dropped& dropped);
  Result<> drop_day(int64_t day_ns, Dropped& dropped);

  EmbeddedOptions options_;
  StoreFolder folder_;
  std::mutex writer_mutex_;  // for what follows, but the readers
  WriterFiles writer_files_;
  std::set<int64_t> dirty_days_;  // that may have something to compact
  bool knows_dirty_days_ = false;
  ReaderPool readers_;  // end before the writer does: whoever closes a file last puts its log into it, and readers may not
};

Result<> EmbeddedStore::read_days(int64_t from_ns, int64_t to_ns, Missing& missing, const DayWork& work) {
  for (const int64_t day : TRY(folder_.days())) {
    if (day >= to_ns || day + kDayNs <= from_ns) continue;
    auto file = readers_.take(folder_, day);
    const Result<> done = !file.ok() ? Result<>(file.error()) : *file == nullptr ? Result<>() : work(**file);
    if (done.ok()) {
      if (*file != nullptr) readers_.give_back(file.take());
      continue;
    }
    // A file that is damaged or not for us says nothing about the others; a machine in trouble does.
    const ErrorCode code = done.error().code;
    const bool is_damaged = code == ErrorCode::InvalidInput || code == ErrorCode::Unsupported;
    const bool may_return = code == ErrorCode::NotFound || code == ErrorCode::PermissionDenied;
    if (!is_damaged && !may_return) return in_day(day, done.error());
    missing.may_return |= may_return;
    add_problem(missing.problems, in_day(day, done.error()).message);
  }
  for (const StoreFolder::SetAside& aside : folder_.set_aside()) {
    if (aside.day_ns >= to_ns || aside.day_ns + kDayNs <= from_ns) continue;
    add_problem(missing.problems, aside.name + ": some of that day was damaged and is set aside there");
  }
  return {};
}

Result<> EmbeddedStore::check_writable() const {
  if (!options_.read_only) return {};
  return fail(ErrorCode::PermissionDenied, "the store is open for reading only");
}

Coverage EmbeddedStore::coverage_of(const Selection& selection) const {
  Coverage coverage;
  coverage.from_ns = selection.from_ns;
  coverage.to_ns = selection.to_ns;
  if (selection.from_ns < folder_.dropped_before_ns()) {
    coverage.dropped = true;
    coverage.exact = false;
  }
  return coverage;
}

Result<Appended> EmbeddedStore::append(std::span<const Window> windows) {
  TRY(check_writable());
  Appended result;
  std::map<int64_t, std::vector<const Window*>> days;
  for (size_t i = 0; i < windows.size(); ++i) {
    const Result<> checked = check_window(windows[i]);
    if (checked.ok()) {
      days[floor_to(windows[i].start_ns, kDayNs)].push_back(&windows[i]);
    } else {
      result.refused.push_back({i, checked.error()});
    }
  }
  const std::lock_guard lock(writer_mutex_);
  for (const auto& [day, of_day] : days) {
    const auto appended = append_day(day, of_day);
    if (!appended.ok()) return in_trouble(appended.error());
    result.added += appended->added;
    result.duplicates += appended->duplicates;
    for (const Appended::Refusal& refusal : appended->refused) {
      result.refused.push_back({static_cast<size_t>(of_day[refusal.position] - windows.data()), refusal.why});
    }
  }
  return result;
}

Result<> EmbeddedStore::with_file(int64_t day_ns, const DayWork& work) {
  const auto file = writer_files_.open(folder_, day_ns);
  const Result<> done = file.ok() ? work(**file) : Result<>(file.error());
  if (done.ok()) {
    writer_files_.trim(day_ns);
    return {};
  }
  writer_files_.close(day_ns);
  return in_day(day_ns, done.error());
}

Result<Appended> EmbeddedStore::append_day(int64_t day_ns, std::span<const Window* const> windows) {
  Appended result;
  const KnownElsewhere elsewhere{[&](const Id& sender) { return acknowledged(sender); },
                                 [&](const Id& id) { return is_undated_known(id); }};
  const DayWork work = [&](DayFile& file) -> Result<> {
    result = TRY(append_to_day(file, windows, elsewhere));
    return {};
  };
  Result<> done = with_file(day_ns, work);
  // A file that is damaged is kept for whoever can read it, and the day goes on in another.
  if (!done.ok() && done.error().code == ErrorCode::InvalidInput) {
    TRY(folder_.set_aside(day_ns));
    done = with_file(day_ns, work);
  }
  if (!done.ok()) return done.error();
  dirty_days_.insert(day_ns);
  return result;
}

Result<bool> EmbeddedStore::is_undated_known(const Id& id) {
  bool is_known = false;
  Missing missing;
  TRY(read_all_days(missing, [&](DayFile& file) -> Result<> {
    is_known = is_known || TRY(has_undated(file, id));
    return {};
  }));
  if (!is_known && missing.may_return) return fail(ErrorCode::Unavailable, missing.problems.front());
  return is_known;
}

Result<uint64_t> EmbeddedStore::acknowledged(const Id& sender) {
  SequenceSet received;
  std::vector<int64_t> days = TRY(folder_.days());
  if (days.size() > kDaysOfMarks) days.erase(days.begin(), days.end() - kDaysOfMarks);
  if (days.empty()) return uint64_t{0};
  Missing missing;  // a mark that cannot be read is one that is not there
  TRY(read_days(days.front(), INT64_MAX, missing, [&](DayFile& file) -> Result<> {
    received.add(TRY(received_from(file, sender)));
    return {};
  }));
  return received.contiguous();
}

Result<Merged> EmbeddedStore::merge(const Selection& selection, Detail detail) {
  const Question question = TRY(question_of(selection));
  MergeState state;
  state.coverage = coverage_of(selection);
  Missing missing;
  TRY(read_days(selection.from_ns, selection.to_ns, missing,
                [&](DayFile& file) { return merge_day(file, question, detail, state); }));
  for (const std::string& problem : missing.problems) add_problem(state.coverage.problems, problem);
  state.coverage.may_return = missing.may_return;
  if (state.coverage.is_damaged()) state.coverage.exact = false;
  Merged merged{state.merger.finish(), std::move(state.coverage)};
  state.facts.finish_into(merged.profile);
  return merged;
}

Result<Series> EmbeddedStore::series(const SeriesQuery& query) {
  const Selection& selection = query.selection;
  const Question question = TRY(question_of(selection));
  Series answer = TRY(begin_series(query));
  answer.coverage = coverage_of(selection);
  Missing missing;
  TRY(read_days(selection.from_ns, selection.to_ns, missing,
                [&](DayFile& file) { return series_of_day(file, query, question, answer); }));
  for (const std::string& problem : missing.problems) add_problem(answer.coverage.problems, problem);
  answer.coverage.may_return = missing.may_return;
  if (answer.coverage.is_damaged()) answer.coverage.exact = false;
  return answer;
}

Result<> EmbeddedStore::see(const Question& question, Missing* missing, const SeriesVisit& visit) {
  Missing unheard;
  return read_days(question.selection.from_ns, question.selection.to_ns, missing != nullptr ? *missing : unheard,
                   [&](DayFile& file) { return see_series(file, question, visit); });
}

Result<GroupList> EmbeddedStore::list_groups(const Question& question, const Grouping& grouping, Missing& missing) {
  GroupList groups = TRY(GroupList::create(grouping));
  TRY(see(question, &missing, [&](uint32_t, const SeenSeries& seen) { return groups.add(seen); }));
  return groups;
}

Result<std::vector<WindowGroup>> EmbeddedStore::groups(const Selection& selection, const Grouping& grouping,
                                                       Missing* missing) {
  Missing unheard;
  return TRY(list_groups(TRY(question_of(selection)), grouping, missing != nullptr ? *missing : unheard)).finish();
}

Result<MergedGroups> EmbeddedStore::merge_grouped(const Selection& selection, const Grouping& grouping) {
  const Question question = TRY(question_of(selection));
  Missing missing;
  GroupState state(TRY(list_groups(question, grouping, missing)));
  state.coverage = coverage_of(selection);
  missing = {};  // told again as they are read
  TRY(read_days(selection.from_ns, selection.to_ns, missing,
                [&](DayFile& file) { return merge_groups_of_day(file, question, state); }));
  for (const std::string& problem : missing.problems) add_problem(state.coverage.problems, problem);
  state.coverage.may_return = missing.may_return;
  if (state.coverage.is_damaged()) state.coverage.exact = false;
  return std::move(state).finish();
}

Result<Names> EmbeddedStore::label_names(const Selection& selection, size_t most, Missing* missing) {
  NameList names(most);
  TRY(see(TRY(scope_of(selection)), missing, [&](uint32_t, const SeenSeries& seen) -> Result<> {
    add_names(seen, names);
    return {};
  }));
  return std::move(names).finish();
}

Result<Names> EmbeddedStore::label_values(std::string_view name, const Selection& selection, size_t most, Missing* missing) {
  NameList values(most);
  TRY(see(TRY(scope_of(selection)), missing, [&](uint32_t, const SeenSeries& seen) -> Result<> {
    add_value(seen, name, values);
    return {};
  }));
  return std::move(values).finish();
}

Result<std::vector<ServiceEntry>> EmbeddedStore::services(Missing* missing) {
  ServiceList services;
  Missing unheard;
  TRY(read_all_days(missing != nullptr ? *missing : unheard,
                    [&](DayFile& file) { return services_of_day(file, services); }));
  return services.finish();
}

Result<std::vector<InstanceEntry>> EmbeddedStore::instances(std::string_view service, Missing* missing) {
  InstanceList instances;
  Missing unheard;
  TRY(read_all_days(missing != nullptr ? *missing : unheard,
                    [&](DayFile& file) { return instances_of_day(file, service, instances); }));
  return instances.finish();
}

Result<Compacted> EmbeddedStore::compact(int64_t now_ns) {
  TRY(check_writable());
  std::vector<int64_t> days;
  {
    const std::lock_guard lock(writer_mutex_);
    if (!knows_dirty_days_) {
      for (const int64_t day : TRY(folder_.days())) dirty_days_.insert(day);
      knows_dirty_days_ = true;
    }
    days.assign(dirty_days_.begin(), dirty_days_.end());
  }
  Compacted done;
  Result<> first_failure;
  for (const int64_t day : days) {
    Result<> compacted = compact_day(day, now_ns, done);
    if (compacted.ok()) continue;
    if (compacted.error().code == ErrorCode::InvalidInput) {
      // Damaged: there is nothing more to be done about it here, and every answer says so.
      const std::lock_guard lock(writer_mutex_);
      dirty_days_.erase(day);
    } else if (first_failure.ok()) {
      first_failure = std::move(compacted);
    }
  }
  if (!first_failure.ok()) return first_failure.error();
  return done;
}

// The lock is let go between transactions: appends wait for one of them at most.
Result<> EmbeddedStore::compact_day(int64_t day_ns, int64_t now_ns, Compacted& done) {
  for (;;) {
    std::vector<CompactStep> steps;
    {
      const std::lock_guard lock(writer_mutex_);
      TRY(with_file(day_ns, [&](DayFile& file) -> Result<> {
        steps = TRY(steps_to_compact(file, now_ns - options_.grace_ns));
        if (!steps.empty()) return {};
        TRY(join_dictionaries(file));
        const int64_t waiting = TRY(file.database().number("SELECT count(*) FROM block WHERE stage IN (0, 2) AND folded=0"));
        if (waiting == 0) dirty_days_.erase(day_ns);
        return {};
      }));
    }
    if (steps.empty()) return {};
    while (!steps.empty()) {
      const std::lock_guard lock(writer_mutex_);
      TRY(with_file(day_ns, [&](DayFile& file) { return compact_some(file, steps, done); }));
    }
  }
}

Result<Dropped> EmbeddedStore::retain(const RetentionPolicy& policy, int64_t now_ns) {
  TRY(check_writable());
  const std::lock_guard lock(writer_mutex_);
  Dropped dropped;
  const uint64_t before = folder_.bytes();
  TRY(drop_by_age(policy, now_ns, dropped));
  TRY(drop_by_size(policy, now_ns, dropped));
  const uint64_t after = folder_.bytes();
  dropped.bytes = before > after ? before - after : 0;
  return dropped;
}

Result<> EmbeddedStore::drop_day(int64_t day_ns, Dropped& dropped) {
  // A day that cannot be read any more is dropped all the same, uncounted.
  Health held;
  std::error_code error;
  if (std::filesystem::exists(folder_.day_path(day_ns), error)) {
    (void)with_file(day_ns, [&](DayFile& file) { return health_of_day(file, false, held); }).ok();
  }
  writer_files_.close(day_ns);
  TRY(folder_.remove_day(day_ns));
  dirty_days_.erase(day_ns);
  ++dropped.files;
  dropped.windows += held.windows;
  for (size_t level = 0; level < kLevels; ++level) dropped.blocks[level] += held.levels[level].blocks;
  return {};
}

Result<> EmbeddedStore::drop_by_age(const RetentionPolicy& policy, int64_t now_ns, Dropped& dropped) {
  const auto limit = [&](Level level) {
    const int64_t age = policy.max_age_ns[static_cast<size_t>(level)];
    return age == 0 ? INT64_MIN : now_ns - age;
  };
  for (const StoreFolder::SetAside& aside : folder_.set_aside()) {
    if (aside.day_ns + kDayNs <= limit(Level::Hours)) TRY(drop_day(aside.day_ns, dropped));
  }
  for (const int64_t day : TRY(folder_.days())) {
    if (day + kDayNs <= limit(Level::Hours)) {
      TRY(drop_day(day, dropped));
      continue;
    }
    if (day >= limit(Level::Windows) && day >= limit(Level::Minutes)) continue;
    const Result<> done = with_file(day, [&](DayFile& file) -> Result<> {
      for (const Level level : {Level::Windows, Level::Minutes}) {
        if (day < limit(level)) TRY(drop_level(file, level, limit(level), dropped));
      }
      return {};
    });
    // A damaged file keeps until it is old enough to go whole.
    if (!done.ok() && done.error().code != ErrorCode::InvalidInput) return done.error();
  }
  return {};
}

// Windows first, since they are nearly all of the bytes, then whole days, the oldest always; those of the last day go last.
Result<> EmbeddedStore::drop_by_size(const RetentionPolicy& policy, int64_t now_ns, Dropped& dropped) {
  if (policy.max_bytes == 0 || folder_.bytes() <= policy.max_bytes) return {};
  const int64_t last_day = now_ns - kDayNs;
  TRY(drop_windows_to_fit(policy.max_bytes, last_day, dropped));
  std::set<int64_t> days;
  for (const int64_t day : TRY(folder_.days())) days.insert(day);
  for (const StoreFolder::SetAside& aside : folder_.set_aside()) days.insert(aside.day_ns);
  for (const int64_t day : days) {
    if (folder_.bytes() <= policy.max_bytes) return {};
    if (day + kDayNs > last_day) break;
    TRY(drop_day(day, dropped));
    ++dropped.by_size;
  }
  return drop_windows_to_fit(policy.max_bytes, now_ns, dropped);
}

Result<> EmbeddedStore::drop_windows_to_fit(uint64_t max_bytes, int64_t before_ns, Dropped& dropped) {
  for (const int64_t day : TRY(folder_.days())) {
    const Result<> done = with_file(day, [&](DayFile& file) -> Result<> {
      // What is in the log only for the time being is not what there is too much of.
      (void)file.database().execute("PRAGMA wal_checkpoint(TRUNCATE)").ok();
      const uint64_t bytes = folder_.bytes();
      if (bytes <= max_bytes) return {};
      const uint64_t blocks = dropped.blocks[static_cast<size_t>(Level::Windows)];
      TRY(drop_level(file, Level::Windows, TRY(windows_to_free(file, bytes - max_bytes, before_ns)), dropped));
      if (dropped.blocks[static_cast<size_t>(Level::Windows)] > blocks) ++dropped.by_size;
      return {};
    });
    // What is damaged goes with its day.
    if (!done.ok() && done.error().code != ErrorCode::InvalidInput) return done.error();
  }
  return {};
}

Result<Holdings> EmbeddedStore::holdings() {
  Holdings holdings;
  Missing missing;
  TRY(read_all_days(missing, [&](DayFile& file) { return holdings_of_day(file, holdings); }));
  return holdings;
}

Result<Health> EmbeddedStore::health(bool check_integrity) {
  Health health;
  health.bytes = folder_.bytes();
  Missing missing;  // with what is set aside
  TRY(read_all_days(missing, [&](DayFile& file) {
    ++health.files;
    health.unchecked_files += file.is_checked() ? 0 : 1;
    return health_of_day(file, check_integrity, health);
  }));
  health.damaged += missing.problems.size();
  for (const std::string& problem : missing.problems) add_problem(health.problems, problem);
  return health;
}

}  // namespace

Result<std::unique_ptr<ProfileStore>> open_embedded_store(const EmbeddedOptions& options) {
  StoreFolder folder = TRY(StoreFolder::open(options.folder, !options.read_only));
  return std::unique_ptr<ProfileStore>(std::make_unique<EmbeddedStore>(options, std::move(folder)));
}

}  // namespace atys::store

// SPDX-License-Identifier: Apache-2.0
// Where a fleet's profiles are kept: windows go in, merged profiles, timelines and lists come out. One interface, several
// stores; tests/support/store_contract.h is the test that each of them passes.
//
// A *window* is one profile of one instance over one interval. It belongs to the minute, hour and day in which it starts,
// and a range [from, to) has the windows that start in it. With time, detail is given up: windows are kept for days, sums
// per minute for weeks, sums per hour for years (levels). A sum keeps stacks, values, loss, provenance and overhead for each
// service, kind and version; labels and times of single samples, nodes, instances and stretches are only in the windows.
//
// Every call may come from any thread. Times are Unix time in nanoseconds.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "profile/profile.h"
#include "store/matcher.h"
#include "store/stretch.h"

namespace atys::store {

using Id = std::array<uint8_t, 16>;
using LabelList = std::vector<std::pair<std::string, std::string>>;  // sorted by the store; keys are unique

// Says which windows of a sender are there already. A sender is one run of an agent; its sequence starts at 1.
struct SenderMark {
  Id sender{};
  uint64_t sequence = 0;  // 0: the sender does not count

  bool operator==(const SenderMark&) const = default;
};

struct Window {
  Id id{};  // not zero; the same window sent again has the same id and start
  SenderMark mark;
  std::string service;
  std::string kind;  // cpu, off-cpu, alloc …
  std::string version;
  std::string node;
  std::string instance;
  LabelList labels;  // container, pod …
  Stretch stretch;   // of a window of an adaptive rate
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  bool is_undated = false;  // `start_ns` is when it came: sent again, it has another, and is known by its id alone
  Profile profile;
};

struct Appended {
  size_t added = 0;
  size_t duplicates = 0;
  // Windows that no store could take (no service, no time, no id …): not kept, and sending them again will not help.
  struct Refusal {
    size_t position = 0;
    Error why;
  };
  std::vector<Refusal> refused;
};

enum class Level : uint8_t { Windows, Minutes, Hours };
inline constexpr size_t kLevels = 3;
const char* to_string(Level level);  // "windows", "minutes", "hours"

// Which windows: those that start in [from, to) and fit every condition.
struct Selection {
  std::string service = {};  // empty: `matchers` say which; likewise the kind
  std::string kind = {};
  int64_t from_ns = 0;
  int64_t to_ns = 0;
  std::vector<Matcher> matchers = {};
};

// Whether labels and times of samples are wanted: a thread, a request. Only windows have them, and reading windows costs
// more than reading sums.
enum class Detail : uint8_t { Stacks, Samples };

// What an answer is without.
struct Missing {
  std::vector<std::string> problems;  // bounded
  bool may_return = false;            // some of it: a file that cannot be opened for now, a right that is gone
};

// What an answer rests on.
struct Coverage {
  size_t windows = 0;
  Level coarsest = Level::Windows;    // of what was read
  int64_t from_ns = 0;                // what it covers: the range asked for, or more where only coarser sums are left;
  int64_t to_ns = 0;                  // then `exact` is false
  bool exact = true;                  // exactly the range, in the detail asked for, and nothing of it is missing
  bool dropped = false;               // some of the range, or the detail that the question needs, is past its retention
  std::vector<std::string> problems;  // what could not be read, e.g. damaged blocks; the answer is without it. Bounded
  bool may_return = false;            // some of that

  bool is_damaged() const { return !problems.empty(); }
};

struct Merged {
  Profile profile;  // reduce::merge of the windows; without samples and value types where there are none
  Coverage coverage;
};

// What windows are told apart by, in one answer.
struct Grouping {
  std::string by = {};                   // "version", "node", "instance" or a label; empty: their stretch
  std::vector<int64_t> borders_ns = {};  // what starts before and after one of these is apart; ascending
  bool newest_apart = false;             // and of each group the windows that start last of it (WindowGroup::last_ns)
  size_t most = 1000;                    // groups: a question that has more is refused
};

struct WindowGroup {
  Stretch stretch = {};    // of a grouping by stretch; none: of windows that are of none
  std::string value = {};  // else
  // When its windows start, and how many there are: at least those in the range. A store may look further, to the ends of
  // the days that it keeps together.
  int64_t first_ns = 0;
  int64_t last_ns = 0;
  uint64_t windows = 0;

  std::strong_ordering order(const WindowGroup& other) const {
    const auto by_stretch = stretch <=> other.stretch;
    return by_stretch != 0 ? by_stretch : value <=> other.value;
  }
};

// A group, or a part of it.
struct GroupPart {
  WindowGroup group;
  size_t piece = 0;        // how many borders lie before it
  bool is_newest = false;  // the windows that start last, where those are apart
  size_t windows = 0;
  Profile profile;
};

struct MergedGroups {
  std::vector<GroupPart> parts = {};  // with windows; by stretch or value, then as they follow each other
  Coverage coverage;  // of all of them. Only windows tell of groups: where only sums are left it is `dropped`
};

// A list of names or values that may be cut short.
struct Names {
  std::vector<std::string> names = {};  // sorted
  bool has_more = false;
};

struct SeriesQuery {
  Selection selection;
  int64_t step_ns = 60'000'000'000;
  std::string value_type = {};  // empty: the one that each profile shows first
  std::string function = {};    // empty: totals only
};

struct SeriesPoint {
  int64_t start_ns = 0;
  int64_t total = 0;           // of all samples
  int64_t function_self = 0;   // of those that end in the function
  int64_t function_total = 0;  // of those that pass through it
  size_t windows = 0;          // 0: nothing is known of this step
};

struct Series {
  std::vector<SeriesPoint> points;  // one per step, the first at `from_ns`
  std::string value_type, unit;     // of the values; empty where there are none
  Coverage coverage;
};

struct ServiceEntry {
  std::string service;
  std::vector<std::string> kinds, versions;  // sorted
  size_t instances = 0;
  uint64_t windows = 0;
  uint64_t bytes = 0;  // that it takes, all levels; 0: the store cannot tell
  int64_t first_ns = 0, last_ns = 0;
};

struct InstanceEntry {
  std::string node, instance, version;
  LabelList labels;
  std::vector<std::string> kinds;  // sorted
  uint64_t windows = 0;
  int64_t first_ns = 0, last_ns = 0;
};

// What is there at all.
struct Holdings {
  uint64_t windows = 0;
  int64_t oldest_ns = 0, newest_ns = 0;  // starts of windows; 0: none
};

class StoreMaintenance;

class ProfileStore {
 public:
  virtual ~ProfileStore() = default;

  // What it returns for is durable: ids and marks are stored together with the windows, so that a sender may repeat what it
  // has no answer for. An error is always trouble of the store (Unavailable: a full or failing disk, a file that cannot be
  // written …) and never one of the windows: some of them may be there; repeat all of them, later. What can never be taken
  // is in `refused`.
  virtual Result<Appended> append(std::span<const Window> windows) = 0;
  // The sender's windows up to and including this one are all there, or were dropped by retention since.
  virtual Result<uint64_t> acknowledged(const Id& sender) = 0;

  virtual Result<Merged> merge(const Selection& selection, Detail detail = Detail::Stacks) = 0;
  virtual Result<Series> series(const SeriesQuery& query) = 0;

  // What groups a selection has, from lists alone. ResourceExhausted: more than `grouping.most`.
  virtual Result<std::vector<WindowGroup>> groups(const Selection& selection, const Grouping& grouping,
                                                  Missing* missing = nullptr) = 0;
  // merge() of each of them, in one go. Stacks alone. ResourceExhausted likewise, before anything is read.
  virtual Result<MergedGroups> merge_grouped(const Selection& selection, const Grouping& grouping) = 0;

  // Names that windows of a selection can be asked for by, and the values that they have of one. Here a selection may leave
  // out service and kind. From lists, which may look as far beyond the range as those of groups().
  virtual Result<Names> label_names(const Selection& selection, size_t most = 1000, Missing* missing = nullptr) = 0;
  virtual Result<Names> label_values(std::string_view name, const Selection& selection, size_t most = 1000,
                                     Missing* missing = nullptr) = 0;
  // By name; by node and instance. What could not be read is told in `missing`, where it is given.
  virtual Result<std::vector<ServiceEntry>> services(Missing* missing = nullptr) = 0;
  virtual Result<std::vector<InstanceEntry>> instances(std::string_view service, Missing* missing = nullptr) = 0;

  virtual Result<Holdings> holdings() = 0;

  // What has to be done for it, now and then (store_maintenance.h). Null: it looks after itself. Lives as long as the store.
  virtual StoreMaintenance* maintenance() { return nullptr; }
};

}  // namespace atys::store

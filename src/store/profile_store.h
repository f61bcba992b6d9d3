// SPDX-License-Identifier: Apache-2.0
// Where a fleet's profiles are kept: windows go in, merged profiles, timelines and lists come out. One interface, several
// stores; tests/support/store_contract.h is the test that each of them passes.
//
// A *window* is one profile of one instance over one interval. It belongs to the minute, hour and day in which it starts,
// and a range [from, to) has the windows that start in it. With time, detail is given up: windows are kept for days, sums
// per minute for weeks, sums per hour for years (levels). A sum keeps stacks, values, loss, provenance and overhead for each
// service, kind and version; labels and times of single samples, nodes and instances are only in the windows.
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

// Which windows. Filters are equalities; what is not given does not filter.
struct Selection {
  std::string service;
  std::string kind;
  int64_t from_ns = 0;
  int64_t to_ns = 0;
  std::optional<std::string> version = {};
  std::optional<std::string> node = {};
  std::optional<std::string> instance = {};
  LabelList labels = {};

  bool needs_windows() const { return node || instance || !labels.empty(); }
};

// Whether labels and times of samples are wanted: a thread, a request. Only windows have them, and reading windows costs
// more than reading sums.
enum class Detail : uint8_t { Stacks, Samples };

// What an answer rests on.
// What an answer is without.
struct Missing {
  std::vector<std::string> problems;  // bounded
  bool may_return = false;            // some of it: a file that cannot be opened for now, a right that is gone
};

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
  uint64_t bytes = 0;  // of the blocks that hold it, all levels
  int64_t first_ns = 0, last_ns = 0;
};

struct InstanceEntry {
  std::string node, instance, version;
  LabelList labels;
  std::vector<std::string> kinds;  // sorted
  uint64_t windows = 0;
  int64_t first_ns = 0, last_ns = 0;
};

struct RetentionPolicy {
  static constexpr int64_t kDay = 86'400'000'000'000;
  std::array<int64_t, kLevels> max_age_ns = {3 * kDay, 30 * kDay, 365 * kDay};  // by level; 0: no limit
  uint64_t max_bytes = 0;                                                       // on disk, in all; 0: no limit
};

struct Dropped {
  std::array<uint64_t, kLevels> blocks{};  // by level
  uint64_t windows = 0;                    // that are in no level any more
  uint64_t bytes = 0;                      // given back to the disk
  uint64_t files = 0;
  uint64_t by_size = 0;  // days that were dropped, or thinned, for want of room alone
};

struct Compacted {
  uint64_t windows = 0;  // put into segments
  uint64_t sums = 0;     // per minute and per hour, written
};

struct Health {
  struct PerLevel {
    uint64_t blocks = 0;
    uint64_t bytes = 0;
  };
  std::array<PerLevel, kLevels> levels;
  uint64_t bytes = 0;  // on disk, dictionaries and indexes included
  uint64_t windows = 0;
  uint64_t files = 0;
  int64_t oldest_ns = 0, newest_ns = 0;  // starts of windows; 0: none
  uint64_t damaged = 0;                  // blocks and files that were found damaged and set aside
  uint64_t unchecked_files = 0;          // of a version that has no checksums: damage may go unnoticed
  std::vector<std::string> problems;     // of an integrity check, where one was asked for
};

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
  // By name; by node and instance. What could not be read is told in `missing`, where it is given.
  virtual Result<std::vector<ServiceEntry>> services(Missing* missing = nullptr) = 0;
  virtual Result<std::vector<InstanceEntry>> instances(std::string_view service, Missing* missing = nullptr) = 0;

  // To be called about once a minute: sums up the minutes and hours that are over. No answer changes by it.
  virtual Result<Compacted> compact(int64_t now_ns) = 0;
  // Drops what is past its age, then the oldest until the rest fits.
  virtual Result<Dropped> retain(const RetentionPolicy& policy, int64_t now_ns) = 0;
  virtual Result<Health> health(bool check_integrity = false) = 0;
};

}  // namespace atys::store

// SPDX-License-Identifier: Apache-2.0
#include "profile/kinds.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace atys::profile {

namespace {

using By = KindRow::RecordedBy;
using Account = KindRow::Account;

constexpr KindRow::MetricFamily kCpuSeconds{"cpu_seconds", "CPU time", false};
constexpr KindRow::MetricFamily kSeconds{"seconds", "Time, by kind (off-cpu, wall, lock),"};
constexpr KindRow::MetricFamily kOwnUnit{"value", "What the kind counts, in its own unit,"};

// The first one computes, the first that only waits is the one to wait with, every event is the last.
constexpr KindRow kKinds[] = {
    {
        .name = "cpu",
        .aliases = {"on-cpu", "oncpu"},
        .types = {"itimer"},
        .columns = {"samples", "cpu", "nanoseconds"},
        .has_rate = true,
        .computes = true,
        .account = Account::CpuTime,
        .metric = kCpuSeconds,
        .help = "where it computes",
    },
    {
        .name = "off-cpu",
        .aliases = {"offcpu"},
        .columns = {"waits", "off-cpu", "nanoseconds"},
        .waits = true,
        .metric = kSeconds,
        .help = "where it waits, and for what",
        .gloss = "waits",
    },
    {
        .name = "wall",
        .types = {"wall-time"},
        .columns = {"samples", "wall", "nanoseconds"},
        .has_rate = true,
        .computes = true,
        .waits = true,
        .account = Account::TimeThere,
        .metric = kSeconds,
        .help = "both",
    },
    {
        .name = "alloc",
        .types = {"inuse-space", "inuse-objects", "space"},
        .columns = {"alloc_objects", "alloc_space", "bytes"},
        .period = 512 << 10,  // bytes that are allocated
        .counts_samples = true,
        .recorded_by = By::Runtimes,
        .metric = kOwnUnit,
        .help = "what Java allocates",
    },
    {
        .name = "lock",
        .types = {"mutex", "block", "delay"},
        .columns = {"contentions", "lock", "nanoseconds"},
        .period = 10'000,  // nanoseconds of waiting: shorter contentions are left out
        .counts_samples = true,
        .account = Account::TimeSinceFirst,
        .recorded_by = By::Runtimes,
        .metric = kSeconds,
        .help = "the locks that Java waits for",
    },
    {
        .name = "page-faults",
        .columns = {"samples", "page-faults", "count"},
        .period = 1,  // page fault: each is counted
        .recorded_by = By::Event,
        .event = "page-faults",
        .metric = {"page_faults", "Page faults", false},
        .help = "where memory is touched that is not there yet",
    },
    {
        .name = kEventPrefix,
        .columns = {"samples", "", "count"},
        .period = 1,  // event: each is counted
        .recorded_by = By::Event,
        .metric = kOwnUnit,
        .help =
            "page-faults, context-switches, cache-misses:pp, sched:sched_switch, rHEX …; atys doctor says what this machine "
            "has",
    },
};

bool is_among(const KindRow::Names& names, std::string_view name) {
  return !name.empty() && std::ranges::find(names, name) != names.end();
}

template <typename Fits>
const KindRow* first(const Fits& fits) {
  const KindRow* const found = std::ranges::find_if(kKinds, fits);
  return found == std::end(kKinds) ? nullptr : found;
}

}  // namespace

std::string KindRow::shown() const { return std::string(name) + (is_every_event() ? "NAME" : ""); }

std::span<const KindRow> kinds() { return kKinds; }

const KindRow& default_kind() {
  return *first([](const KindRow& row) { return row.is_cpu_time(); });
}
const KindRow& waiting_kind() {
  return *first([](const KindRow& row) { return row.is_waiting(); });
}

const KindRow* find_kind(std::string_view text) {
  if (text.starts_with(kEventPrefix)) {
    const std::string_view event = text.substr(kEventPrefix.size());
    if (event.empty()) return nullptr;
    return first([&](const KindRow& row) { return row.event == event || row.is_every_event(); });
  }
  const std::string wanted = plain_kind_name(text);
  return first(
      [&](const KindRow& row) { return !row.is_every_event() && (row.name == wanted || is_among(row.aliases, wanted)); });
}

const KindRow* find_kind_of_type(std::string_view type) {
  if (const KindRow* row = find_kind(type); row != nullptr && !row->is_every_event()) return row;
  const std::string wanted = plain_kind_name(type);
  return first([&](const KindRow& row) {
    const bool is_own = row.counts_samples && wanted == plain_kind_name(row.columns.count);
    return is_own || is_among(row.types, wanted) || (!wanted.empty() && wanted == plain_kind_name(row.columns.weight));
  });
}

const KindRow* find_kind_of_weight(std::string_view type) {
  return first([&](const KindRow& row) { return !type.empty() && row.columns.weight == type; });
}

std::string plain_kind_name(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c == '_' || c == ' ' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

std::string listed_kinds(const std::function<bool(const KindRow&)>& fits, std::string_view last) {
  std::vector<std::string> names;
  for (const KindRow& row : kKinds)
    if (fits(row)) names.push_back(row.shown());
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? last : std::string_view(", ");
    text += names[i];
  }
  return text;
}

}  // namespace atys::profile

// SPDX-License-Identifier: Apache-2.0
#include "format/firefox/thread_table.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "format/thread_groups.h"

namespace atys::format::firefox {

using namespace profile;

namespace {

struct TimeUnit {
  std::string_view name;
  std::string_view alias;
  double in_ms;
};

constexpr TimeUnit kTimeUnits[] = {
    {"nanoseconds", "ns", 1e-6}, {"microseconds", "us", 1e-3}, {"milliseconds", "ms", 1}, {"seconds", "s", 1e3}};

// None: not a time.
std::optional<double> milliseconds_per(std::string_view unit) {
  for (const TimeUnit& known : kTimeUnits) {
    if (known.name == unit || known.alias == unit) return known.in_ms;
  }
  return std::nullopt;
}

// Subtracted as integers: a double does not hold the nanoseconds of today's dates.
double elapsed_ms(int64_t start_ns, int64_t time_ns) {
  if (time_ns <= start_ns) return 0;
  return static_cast<double>(static_cast<uint64_t>(time_ns) - static_cast<uint64_t>(start_ns)) / 1e6;
}

// Threads are told apart by number where there is one, else by name or position.
void write_thread_id(JsonWriter& json, const std::string& id, size_t position) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number);
  json.key("tid");
  if (id.empty()) {
    json.value(position);
  } else if (error == std::errc() && end == id.data() + id.size() && std::abs(static_cast<double>(number)) < 9e15) {
    json.value(number);
  } else {
    json.value(id);
  }
}

void write_empty_markers(JsonWriter& json) {
  json.key("markers").begin_object();
  for (const char* const column : {"data", "name", "startTime", "endTime", "phase", "category"}) {
    json.key(column).begin_array().end_array();
  }
  json.field("length", 0).end_object();
}

class ThreadWriter {
 public:
  ThreadWriter(JsonWriter& json, const Profile& profile, size_t column, const SampleClock& clock, CodeTables& code)
      : json_(json),
        profile_(profile),
        column_(column),
        clock_(clock),
        code_(code),
        unit_(profile.text(profile.value_types()[column].unit)),
        ms_per_unit_(milliseconds_per(unit_)) {}

  void write(ThreadGroup& group, size_t position, bool is_main) {
    const ThreadIdentity& thread = group.thread;
    json_.begin_object();
    json_.field("processType", "default");
    json_.field("processStartupTime", 0).key("processShutdownTime").null();
    json_.field("registerTime", 0).key("unregisterTime").null();
    json_.key("pausedRanges").begin_array().end_array();
    json_.field("name", shown_name(thread)).field("isMainThread", is_main);
    if (!thread.process_name.empty()) json_.field("processName", thread.process_name);
    json_.field("pid", thread.process_id.empty() ? "0" : thread.process_id);
    write_thread_id(json_, thread.thread_id, position);
    write_samples(group);
    write_empty_markers(json_);
    json_.end_object();
  }

 private:
  static std::string shown_name(const ThreadIdentity& thread) {
    if (!thread.thread_name.empty()) return thread.thread_name;
    if (!thread.thread_id.empty()) return "thread " + thread.thread_id;
    return thread.process_name.empty() ? "all threads" : thread.process_name;
  }

  double weight_ms(uint32_t row) const {
    return static_cast<double>(profile_.samples.value(row, column_)) * ms_per_unit_.value_or(0);
  }

  void write_samples(ThreadGroup& group) {
    if (profile_.samples.has_times()) {
      std::ranges::stable_sort(group.rows, {}, [&](uint32_t row) { return profile_.samples.time_ns(row); });
    }
    json_.key("samples").begin_object();
    write_stacks(group);
    write_times(group);
    json_.key("weight").begin_array();
    for (const uint32_t row : group.rows) {
      if (ms_per_unit_) {
        json_.value(weight_ms(row));
      } else {
        json_.value(profile_.samples.value(row, column_));
      }
    }
    json_.end_array();
    json_.field("weightType", ms_per_unit_ ? "tracing-ms" : unit_ == "bytes" ? "bytes" : "samples");
    json_.field("length", group.rows.size()).end_object();
  }

  void write_stacks(const ThreadGroup& group) {
    json_.key("stack").begin_array();
    for (const uint32_t row : group.rows) {
      const int64_t stack = code_.stack(profile_.samples.stack(row));
      if (stack == kNone) {
        json_.null();
      } else {
        json_.value(stack);
      }
    }
    json_.end_array();
  }

  // Without times, samples lie one after the other, each as wide as the time that it stands for.
  void write_times(const ThreadGroup& group) {
    double synthetic_ms = 0;
    json_.key("time").begin_array();
    for (const uint32_t row : group.rows) {
      if (profile_.samples.has_times()) {
        json_.value(elapsed_ms(clock_.start_ns, profile_.samples.time_ns(row)));
      } else {
        json_.value(synthetic_ms);
        synthetic_ms += ms_per_unit_ ? std::abs(weight_ms(row)) : clock_.interval_ms;
      }
    }
    json_.end_array();
  }

  JsonWriter& json_;
  const Profile& profile_;
  size_t column_;
  const SampleClock& clock_;
  CodeTables& code_;
  std::string_view unit_;
  std::optional<double> ms_per_unit_;
};

// The thread that has the number of its process, as Linux has it, or else the first of each process.
std::vector<bool> main_threads(const std::vector<ThreadGroup>& groups) {
  std::map<std::string, size_t> main_of;
  for (size_t i = 0; i < groups.size(); ++i) {
    const ThreadIdentity& thread = groups[i].thread;
    const auto [found, is_first] = main_of.emplace(thread.process_id, i);
    if (!is_first && !thread.process_id.empty() && thread.thread_id == thread.process_id) found->second = i;
  }
  std::vector<bool> is_main(groups.size());
  for (const auto& [process, position] : main_of) is_main[position] = true;
  return is_main;
}

}  // namespace

SampleClock sample_clock(const Profile& profile) {
  SampleClock clock;
  const Header& header = profile.header;
  const auto period_ms = milliseconds_per(profile.text(header.period_type.unit));
  if (period_ms && header.period > 0) clock.interval_ms = static_cast<double>(header.period) * *period_ms;
  clock.start_ns = header.time_ns;
  if (!profile.samples.has_times()) return clock;
  int64_t last_ns = 0;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    const int64_t time_ns = profile.samples.time_ns(row);
    if (time_ns > 0 && (clock.start_ns <= 0 || time_ns < clock.start_ns)) clock.start_ns = time_ns;
    last_ns = std::max(last_ns, time_ns);
  }
  clock.end_ms = std::max(static_cast<double>(header.duration_ns) / 1e6, elapsed_ms(clock.start_ns, last_ns));
  return clock;
}

void write_threads(JsonWriter& json, const Profile& profile, size_t column, const SampleClock& clock, CodeTables& code) {
  auto groups = group_by_thread(profile);
  const auto is_main = main_threads(groups);
  ThreadWriter writer(json, profile, column, clock, code);
  json.key("threads").begin_array();
  for (size_t i = 0; i < groups.size(); ++i) writer.write(groups[i], i, is_main[i]);
  json.end_array();
}

}  // namespace atys::format::firefox

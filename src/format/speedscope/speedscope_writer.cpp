// SPDX-License-Identifier: Apache-2.0
#include "format/speedscope/speedscope_writer.h"

#include <algorithm>
#include <set>

#include "base/json.h"
#include "format/speedscope/own_fields.h"
#include "format/speedscope/place_table.h"
#include "format/speedscope/units.h"
#include "format/thread_groups.h"

namespace atys::format::speedscope {

using namespace profile;

namespace {

constexpr size_t kFlushBytes = size_t{1} << 20;

// With several processes, the same thread name may stand for several threads.
std::string shown_name(const ThreadIdentity& thread, bool has_several_processes) {
  const std::string& name = thread.thread_name;
  std::string shown = !name.empty() ? name : thread.thread_id.empty() ? "" : "thread " + thread.thread_id;
  if (!has_several_processes) return shown;
  const std::string process = thread.process_name + (thread.process_id.empty() ? "" : " (" + thread.process_id + ")");
  return process + (process.empty() || shown.empty() ? "" : " / ") + shown;
}

class Writer {
 public:
  Writer(const Profile& profile, const WriteOptions& options, ByteSink& sink)
      : profile_(profile), options_(options), sink_(sink), places_(profile), groups_(group_by_thread(profile)) {}

  Result<> write() {
    json_.begin_object();
    json_.field("$schema", kSchema);
    json_.field("exporter", "atys");
    json_.field("name", options_.title.empty() ? "profile" : options_.title);
    json_.field("activeProfileIndex", options_.value_column.value_or(profile_.default_value_column()));
    TRY(write_frames());
    TRY(write_profiles());
    json_.end_object();
    return sink_.write(json_.take());
  }

 private:
  Result<> write_frames();
  Result<> write_profiles();
  Result<> write_profile(const ThreadGroup& group, const std::string& thread, size_t column);
  Result<> write_samples(const ThreadGroup& group);
  Result<> write_weights(const ThreadGroup& group, size_t column);
  void write_range(const ThreadGroup& group, size_t column);
  void write_own(const ThreadGroup& group, const std::string& thread, size_t column);

  // Keeps what is held in memory small; done between values.
  Result<> flush_if_large() {
    if (json_.text().size() < kFlushBytes) return {};
    return sink_.write(json_.take());
  }

  const Profile& profile_;
  const WriteOptions& options_;
  ByteSink& sink_;
  PlaceTable places_;
  std::vector<ThreadGroup> groups_;
  JsonWriter json_;
};

Result<> Writer::write_frames() {
  json_.key("shared").begin_object().key("frames").begin_array();
  for (size_t i = 0; i < places_.size(); ++i) {
    const Place& place = places_[i];
    json_.begin_object();
    json_.field("name", places_.text(place.name));
    if (place.file != kNoString) json_.field("file", places_.text(place.file));
    if (place.line != 0) json_.field("line", place.line);
    if (place.column != 0) json_.field("col", place.column);
    json_.end_object();
    TRY(flush_if_large());
  }
  json_.end_array().end_object();
  return {};
}

Result<> Writer::write_profiles() {
  std::set<std::pair<std::string, std::string>> processes;
  for (const ThreadGroup& group : groups_) processes.emplace(group.thread.process_id, group.thread.process_name);
  json_.key("profiles").begin_array();
  for (const ThreadGroup& group : groups_) {
    const std::string thread = shown_name(group.thread, processes.size() > 1);
    for (size_t column = 0; column < profile_.value_types().size(); ++column) TRY(write_profile(group, thread, column));
  }
  json_.end_array();
  return {};
}

Result<> Writer::write_profile(const ThreadGroup& group, const std::string& thread, size_t column) {
  const ValueType& type = profile_.value_types()[column];
  const std::string type_name(profile_.text(type.type));
  const bool is_only_type = profile_.value_types().size() == 1;
  json_.begin_object();
  json_.field("type", "sampled");
  json_.field("name", thread.empty() ? type_name : is_only_type ? thread : thread + ": " + type_name);
  json_.field("unit", unit_name(profile_.text(type.unit)));
  write_range(group, column);
  TRY(write_samples(group));
  TRY(write_weights(group, column));
  write_own(group, thread, column);
  json_.end_object();
  return flush_if_large();
}

void Writer::write_range(const ThreadGroup& group, size_t column) {
  uint64_t total = 0;
  long double shown_total = 0;  // the sum of huge values is shown as good as JSON can
  for (const uint32_t row : group.rows) {
    const int64_t weight = std::max<int64_t>(profile_.samples.value(row, column), 0);
    total += static_cast<uint64_t>(weight);
    shown_total += static_cast<long double>(weight);
  }
  json_.field("startValue", 0);
  if (shown_total < 9e18L) {
    json_.field("endValue", total);
  } else {
    json_.field("endValue", static_cast<double>(shown_total));
  }
}

Result<> Writer::write_samples(const ThreadGroup& group) {
  json_.key("samples").begin_array();
  for (const uint32_t row : group.rows) {
    const auto leaf_first = profile_.stacks[profile_.samples.stack(row)];
    json_.begin_array();
    for (size_t i = leaf_first.size(); i > 0; --i) {
      for (const uint32_t place : places_.of(leaf_first[i - 1])) json_.value(place);
    }
    json_.end_array();
    TRY(flush_if_large());
  }
  json_.end_array();
  return {};
}

Result<> Writer::write_weights(const ThreadGroup& group, size_t column) {
  json_.key("weights").begin_array();
  for (const uint32_t row : group.rows) {
    json_.value(std::max<int64_t>(profile_.samples.value(row, column), 0));
    TRY(flush_if_large());
  }
  json_.end_array();
  return {};
}

void Writer::write_own(const ThreadGroup& group, const std::string& thread, size_t column) {
  const ValueType& type = profile_.value_types()[column];
  json_.key(kOwn).begin_object();
  json_.field(kOwnColumn, column);
  json_.field(kOwnType, profile_.text(type.type));
  json_.field(kOwnUnit, profile_.text(type.unit));
  if (!thread.empty()) json_.field(kOwnThread, thread);
  const auto value = [&](size_t i) { return profile_.samples.value(group.rows[i], column); };
  bool has_negative = false;
  for (size_t i = 0; i < group.rows.size(); ++i) {
    if (value(i) >= 0) continue;
    if (!has_negative) json_.key(kOwnNegative).begin_array();
    has_negative = true;
    json_.begin_array().value(i).value(value(i)).end_array();
  }
  if (has_negative) json_.end_array();
  json_.end_object();
}

}  // namespace

Result<> write_speedscope(const Profile& profile, const WriteOptions& options, ByteSink& sink) {
  if (profile.value_types().empty()) {
    return fail(ErrorCode::InvalidInput, "cannot write speedscope: the profile has no value types",
                "record the profile again");
  }
  return Writer(profile, options, sink).write();
}

}  // namespace atys::format::speedscope

// SPDX-License-Identifier: Apache-2.0
#include "format/jfr/jfr_reader.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <unordered_map>
#include <vector>

#include "format/jfr/chunk_content.h"
#include "format/jfr/event_rules.h"
#include "format/jfr/sample_rows.h"
#include "format/jfr/settings.h"
#include "format/jfr/stack_resolver.h"

namespace atys::format::jfr {

using namespace profile;

namespace {

// A class's name is in the name of each of its methods: the text may be larger than the file, but not without limit.
constexpr size_t kTextAllowance = size_t{256} << 20;
constexpr size_t kTextRatio = 4;

int64_t to_ns(const Value& time, int64_t ticks_per_second) {
  const __uint128_t number = static_cast<uint64_t>(std::max<int64_t>(time.number, 0));
  __uint128_t ns = number;
  switch (time.unit) {
    case TimeUnit::Ticks: ns = number * 1'000'000'000 / static_cast<uint64_t>(ticks_per_second); break;
    case TimeUnit::Nanoseconds: break;
    case TimeUnit::Microseconds: ns = number * 1'000; break;
    case TimeUnit::Milliseconds: ns = number * 1'000'000; break;
    case TimeUnit::Seconds: ns = number * 1'000'000'000; break;
  }
  return static_cast<int64_t>(std::min<__uint128_t>(ns, std::numeric_limits<int64_t>::max()));
}

struct Measure {
  int64_t count = 1;
  int64_t weight = 0;  // 0: unknown
};

// A sampled allocation stands for as many objects of its size as fit into the bytes that it stands for.
Measure memory_of(std::span<const Value> slots) {
  const int64_t size = slots[kSize].number;
  int64_t bytes = slots[kWeight].number;
  if (bytes <= 0) bytes = slots[kTlabSize].number;
  if (bytes <= 0) bytes = size;
  return {.count = size > 0 ? std::max<int64_t>(1, bytes / size) : 1, .weight = std::max<int64_t>(bytes, 0)};
}

Measure time_of(std::span<const Value> slots, int64_t interval_ns, int64_t ticks_per_second) {
  const int64_t count = slots[kSamples].form == ValueForm::Number ? std::max<int64_t>(slots[kSamples].number, 0) : 1;
  if (slots[kPeriod].form == ValueForm::Number) interval_ns = to_ns(slots[kPeriod], ticks_per_second);
  int64_t weight = 0;
  if (__builtin_mul_overflow(count, interval_ns, &weight)) weight = std::numeric_limits<int64_t>::max();
  return {count, weight};
}

// One chunk's samples into the rows of all.
class ChunkSamples {
 public:
  // All of them outlive it.
  ChunkSamples(const ChunkContent& content, const Settings& settings, Profile& profile, SampleRows& rows, size_t text_limit,
               bool keeps_times)
      : content_(&content),
        settings_(&settings),
        profile_(&profile),
        rows_(&rows),
        keeps_times_(keeps_times),
        values_(content.metadata()),
        resolver_(content.metadata(), content.pools(), profile, text_limit) {}

  Result<> read() {
    return content_->for_each([&](const Event& event) -> Result<> {
      const Source* source = source_of(event.type);
      if (source == nullptr) return {};
      return add(event, *source);
    });
  }

 private:
  struct Source {
    const EventRule* rule = nullptr;  // null: not a sample
    Selection fields;
    Family family{};
    int64_t interval_ns = 0;
  };

  const Source* source_of(uint64_t type) {
    const auto known = sources_.find(type);
    if (known != sources_.end()) return known->second.rule != nullptr ? &known->second : nullptr;
    Source source;
    const ClassLayout* layout = content_->metadata().find(type);
    if (layout != nullptr) source.rule = rule_of(layout->name);
    if (source.rule != nullptr) {
      source.fields = Selection(*layout, slot_of);
      source.family = settings_->family_of(*source.rule);
      if (source.rule->weight == Weight::Interval) source.interval_ns = settings_->interval_ns(*source.rule);
      if (source.interval_ns > 0) rows_->note_period(source.family, source.interval_ns);
    }
    const Source& kept = sources_.emplace(type, std::move(source)).first->second;
    return kept.rule != nullptr ? &kept : nullptr;
  }

  Result<> add(const Event& event, const Source& source) {
    std::array<Value, kSlots> slots;
    Cursor cursor = content_->fields(event);
    values_.read(cursor, source.fields, slots);
    if (!cursor.ok()) return cursor.error();
    const ResolvedStack stack = TRY(resolver_.stack(slots[kStack]));
    if (stack.is_truncated) profile_->add_loss("stacks that the recorder cut short", 1);
    if (stack.is_missing) profile_->add_loss("stacks that are not in the file", 1);
    const Measure measure = measured(slots, source);
    rows_->add({stack.stack, labels(slots, source.family), source.family, keeps_times_ ? time_of_event(slots) : 0},
               measure.count, measure.weight);
    return {};
  }

  // Unix time; 0: not known.
  int64_t time_of_event(std::span<const Value> slots) const {
    const Chunk& chunk = content_->chunk();
    const Value& start = slots[kStartTime];
    if (start.form != ValueForm::Number || start.unit != TimeUnit::Ticks || chunk.start_ns <= 0) return 0;
    // What began before the chunk did is told with it.
    Value elapsed = start;
    if (__builtin_sub_overflow(start.number, chunk.start_ticks, &elapsed.number)) return 0;
    int64_t time = 0;
    return __builtin_add_overflow(chunk.start_ns, to_ns(elapsed, chunk.ticks_per_second), &time) ? 0 : time;
  }

  Measure measured(std::span<const Value> slots, const Source& source) const {
    const int64_t ticks_per_second = content_->chunk().ticks_per_second;
    switch (source.rule->weight) {
      case Weight::Bytes: return memory_of(slots);
      case Weight::Duration: return {.count = 1, .weight = to_ns(slots[kDuration], ticks_per_second)};
      case Weight::Interval: break;
    }
    return time_of(slots, source.interval_ns, ticks_per_second);
  }

  struct LabelKey {
    uint64_t thread = 0;
    StringId text{};
    Family family{};
    bool operator==(const LabelKey&) const = default;
  };
  struct LabelHash {
    size_t operator()(const LabelKey& key) const {
      return hash_mix(key.thread ^ hash_seed(), uint64_t{raw(key.text)} << 8 | static_cast<uint64_t>(key.family));
    }
  };

  LabelSetId labels(std::span<const Value> slots, Family family) {
    const bool is_wall = family == Family::Wall;
    const StringId text = is_wall ? resolver_.state(slots[kState]) : resolver_.class_named(slots[kObjectClass]);
    const auto [known, is_new] = labels_.try_emplace(LabelKey{slots[kThread].key(), text, family});
    if (!is_new) return known->second;
    std::vector<LabelId> members;
    const ThreadName thread = resolver_.thread(slots[kThread]);
    if (thread.name != kNoString) add_label(members, "thread.name", thread.name);
    if (thread.os_id != 0) members.push_back(profile_->int_label("thread.id", thread.os_id));
    if (text != kNoString) add_label(members, is_wall ? "state" : kClassLabel, text);
    known->second = profile_->label_set(std::move(members));
    return known->second;
  }

  void add_label(std::vector<LabelId>& members, std::string_view key, StringId text) {
    const std::string copy(profile_->text(text));  // the table may move while the key is stored
    members.push_back(profile_->string_label(key, copy));
  }

  static constexpr std::string_view kClassLabel = "class";  // of what was allocated or waited for

  const ChunkContent* content_;
  const Settings* settings_;
  Profile* profile_;
  SampleRows* rows_;
  bool keeps_times_;
  ValueReader values_;
  StackResolver resolver_;
  IdMap<Source> sources_;
  std::unordered_map<LabelKey, LabelSetId, LabelHash> labels_;
};

// From the start of the first chunk to the end of the last.
void note_time(Header& header, const Chunk& chunk) {
  if (chunk.start_ns <= 0) return;
  int64_t end = 0;
  if (__builtin_add_overflow(chunk.start_ns, std::max<int64_t>(chunk.duration_ns, 0), &end)) return;
  const int64_t so_far = header.time_ns != 0 ? header.time_ns + header.duration_ns : end;
  header.time_ns = header.time_ns != 0 ? std::min(header.time_ns, chunk.start_ns) : chunk.start_ns;
  header.duration_ns = std::max(so_far, end) - header.time_ns;
}

}  // namespace

Result<Profile> read_jfr(std::string_view file, bool keeps_times) {
  Profile profile;
  Settings settings;
  SampleRows rows;
  const size_t text_limit = kTextAllowance + kTextRatio * file.size();
  for (size_t at = 0; at < file.size();) {
    const Chunk chunk = TRY(read_chunk(file, at));
    const ChunkContent content = TRY(ChunkContent::open(file, chunk));
    TRY(settings.read(content, profile));
    TRY(ChunkSamples(content, settings, profile, rows, text_limit, keeps_times).read());
    note_time(profile.header, chunk);
    at = chunk.end;
  }
  if (!settings.recorder().empty()) profile.add_fact("recorder", settings.recorder());
  rows.finish(profile, settings.counted_event());
  return profile;
}

}  // namespace atys::format::jfr

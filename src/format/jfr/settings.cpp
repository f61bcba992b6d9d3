// SPDX-License-Identifier: Apache-2.0
#include "format/jfr/settings.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "format/jfr/java_names.h"

namespace atys::format::jfr {

namespace {

// Documented defaults of async-profiler, which says 0 where nobody asked for an interval.
constexpr int64_t kDefaultCpuNs = 10'000'000;
constexpr int64_t kDefaultWallNs = 50'000'000;

constexpr std::array<std::pair<std::string_view, int64_t>, 8> kUnits{{
    {"", 1},
    {"ns", 1},
    {"us", 1'000},
    {"ms", 1'000'000},
    {"s", 1'000'000'000},
    {"m", 60'000'000'000},
    {"h", 3'600'000'000'000},
    {"d", 86'400'000'000'000},
}};

constexpr std::array<std::string_view, 5> kWantedSettings{"interval", "wall", "period", "event", "version"};
// Events of async-profiler that count nanoseconds.
constexpr std::array<std::string_view, 5> kTimeEvents{"cpu", "itimer", "ctimer", "cpu-clock", "task-clock"};

enum SettingSlot : int { kId, kName, kValue, kSettingSlots };

int setting_slot(std::string_view field) {
  if (field == "id") return kId;
  if (field == "name") return kName;
  return field == "value" ? kValue : -1;
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kMachineFacts{{
    {"jvmName", "jvm"},
    {"jvmVersion", "jvm-version"},
    {"jvmArguments", "jvm-arguments"},
    {"jvmFlags", "jvm-flags"},
    {"javaArguments", "java-arguments"},
    {"pid", "pid"},
}};

int machine_slot(std::string_view field) {
  for (size_t i = 0; i < kMachineFacts.size(); ++i) {
    if (kMachineFacts[i].first == field) return static_cast<int>(i);
  }
  return -1;
}

// A chunk has one; more than so many differ only to be a burden.
constexpr int kMostMachines = 256;

// Events that count what is not in the samples.
struct LossRule {
  std::string_view event, field, reason;
};
constexpr std::array<LossRule, 2> kLosses{{
    {"jdk.DataLoss", "amount", "bytes that the recorder lost"},
    {"jdk.CPUTimeSamplesLost", "lostSamples", "samples that the recorder lost"},
}};

std::string fact_text(const ConstantPools& pools, const Value& value) {
  std::string text = value.form == ValueForm::Number ? std::to_string(value.number) : pools.text(value);
  if (text.size() > kMaxNameBytes) text.resize(kMaxNameBytes);
  return text;
}

}  // namespace

int64_t parse_interval_ns(std::string_view text) {
  int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || number < 0) return 0;
  std::string_view unit(rest, static_cast<size_t>(end - rest));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  for (const auto& [name, scale] : kUnits) {
    int64_t scaled = 0;
    if (name == unit) return __builtin_mul_overflow(number, scale, &scaled) ? 0 : scaled;
  }
  return 0;
}

Result<> Settings::read(const ChunkContent& content, Profile& profile) {
  is_from_before_ = true;
  return content.for_each([&](const Event& event) -> Result<> {
    const ClassLayout* layout = content.metadata().find(event.type);
    if (layout == nullptr || layout->kind != FieldKind::Struct) return {};
    Cursor cursor = content.fields(event);
    if (layout->name == "jdk.ActiveSetting") {
      read_setting(content, *layout, cursor);
    } else if (layout->name == "jdk.JVMInformation") {
      read_machine(content, *layout, cursor, profile);
    } else {
      read_loss(content, *layout, cursor, profile);
    }
    if (!cursor.ok()) return cursor.error();
    return {};
  });
}

void Settings::read_setting(const ChunkContent& content, const ClassLayout& layout, Cursor& cursor) {
  std::array<Value, kSettingSlots> slots;
  ValueReader(content.metadata()).read(cursor, Selection(layout, setting_slot), slots);
  const ClassLayout* about = content.metadata().find(static_cast<uint64_t>(slots[kId].number));
  if (about == nullptr) return;
  const std::string name = content.pools().text(slots[kName]);
  if (std::ranges::find(kWantedSettings, name) == kWantedSettings.end()) return;
  if (std::exchange(is_from_before_, false)) values_.clear();
  values_[{about->name, name}] = fact_text(content.pools(), slots[kValue]);
}

void Settings::read_machine(const ChunkContent& content, const ClassLayout& layout, Cursor& cursor, Profile& profile) {
  if (++machine_events_ > kMostMachines) return;
  std::array<Value, kMachineFacts.size()> slots;
  ValueReader(content.metadata()).read(cursor, Selection(layout, machine_slot), slots);
  for (size_t i = 0; i < slots.size(); ++i) {
    const std::string text = fact_text(content.pools(), slots[i]);
    if (!text.empty()) profile.add_fact(kMachineFacts[i].second, text);
  }
}

void Settings::read_loss(const ChunkContent& content, const ClassLayout& layout, Cursor& cursor, Profile& profile) const {
  for (const LossRule& rule : kLosses) {
    if (layout.name != rule.event) continue;
    const Selection selection(layout, [&](std::string_view name) { return name == rule.field ? 0 : -1; });
    std::array<Value, 1> slot;
    ValueReader(content.metadata()).read(cursor, selection, slot);
    if (slot[0].number > 0) profile.add_loss(rule.reason, static_cast<uint64_t>(slot[0].number));
  }
}

std::string Settings::get(std::string_view event, std::string_view name) const {
  const auto found = values_.find({std::string(event), std::string(name)});
  return found == values_.end() ? std::string{} : found->second;
}

Family Settings::family_of(const EventRule& rule) const {
  return rule.family == Family::Cpu && get(kRecording, "event") == "wall" ? Family::Wall : rule.family;
}

int64_t Settings::interval_ns(const EventRule& rule) const {
  if (!is_async_profiler()) return parse_interval_ns(get(rule.interval_event, "period"));
  if (family_of(rule) == Family::Wall) return wall_interval_ns();
  if (!counted_event().empty()) return 0;
  const int64_t interval = parse_interval_ns(get(rule.interval_event, "interval"));
  return interval > 0 ? interval : kDefaultCpuNs;
}

int64_t Settings::wall_interval_ns() const {
  const int64_t wall = parse_interval_ns(get(kExecutionSample, "wall"));
  if (wall > 0) return wall;
  // Without an interval of its own, the wall clock was the event that was asked for.
  const int64_t interval = parse_interval_ns(get(kExecutionSample, "interval"));
  return interval > 0 && get(kRecording, "event") == "wall" ? interval : kDefaultWallNs;
}

std::string Settings::counted_event() const {
  std::string event = get(kRecording, "event");
  if (event == "wall") return {};
  return std::ranges::find(kTimeEvents, event) == kTimeEvents.end() ? event : std::string{};
}

std::string Settings::recorder() const {
  return is_async_profiler() ? "async-profiler " + get(kRecording, "version") : std::string{};
}

}  // namespace atys::format::jfr

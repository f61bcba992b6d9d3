// SPDX-License-Identifier: Apache-2.0
#include "capture/native/profile_builder.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/clock.h"
#include "capture/native/wait_reason.h"
#include "capture/profiling_kernel.h"
#include "symbolize/jail.h"

namespace atys::capture::native {

using namespace profile;

namespace {

constexpr std::string_view kKernelMapping = "[kernel.kallsyms]";
constexpr std::string_view kLostStack = "[stack not received]";
constexpr std::string_view kPruned = "(pruned)";
constexpr std::string_view kKernelKind = "kernel";
// Nobody asks for the line of a place with less than one part of so many, if a library's debug file had to be opened for it.
constexpr uint64_t kRarely = 200;
constexpr double kHandful = 5;  // samples
// Below a function of an interpreter a library's lines count for less: the line that the program is at is known.
constexpr uint64_t kBelowLanguage = 4;

}  // namespace

void ProfileBuilder::build(const ValueNames& names, Profile& profile) {
  profile_ = &profile;
  frames_.assign(collector_.places(), FrameId{0});
  places_given_up_ = 0;
  weigh_places();
  prepare_places(1);
  profile.add_value_type(names.count_type, "count");
  profile.add_value_type(names.weight_type, names.weight_unit);
  if (names.has_waits) profile.add_value_type("wakeup", "nanoseconds");
  profile.header.default_value_type = profile.strings.intern(names.weight_type);
  pruning_ = prune_slots(collector_, pruning_rule_, [this](size_t slot) { return leaf_of(slot); });
  prepare_places(SIZE_MAX);
  const auto slots = collector_.slots();
  std::vector<SlotPhase> phases;
  if (tells_phases_ && pruning_.weights.empty() && !names.has_waits)
    phases = find_slot_phases(collector_, [this](size_t slot) { return doing(slot); });
  std::vector<std::vector<StackCollector::Timed>> timed;
  if (tells_times_ && pruning_.weights.empty() && !names.has_waits) timed = timed_by_slot();
  uint64_t pruned_samples = 0;
  double pruned_weight = 0;
  for (size_t i = 1; i < slots.size(); ++i) {
    const SlotValue all = counted(i);
    if (all.samples == 0) continue;
    const SlotValue value = value_of(i);
    if (value.samples == 0) {
      pruned_samples += all.samples;
      pruned_weight += static_cast<double>(all.weight) * factor_of(i);
      continue;
    }
    const bool is_part = part_of(i).has_value();  // the first one
    SlotValue untimed = value;
    if (!timed.empty() && !is_part) untimed = add_timed(i, value, timed[i]);
    if ((phases.empty() || is_part) && untimed.samples > 0)
      add_sample(i, untimed, names.has_waits, phases.empty() ? 0 : phases.front().from_ns);
    for (const SlotPhase& phase : is_part ? std::vector<SlotPhase>() : phases)
      if (const SlotValue part = value_in(collector_, i, phase); part.samples > 0)
        add_sample(i, part, names.has_waits, phase.from_ns);
    if (!slots[i].reaches_root) profile.add_loss(collector_.why_cut(i), value.samples);
  }
  if (!pruning_.others_stand_for_them) add_pruned(pruned_samples, pruned_weight);
  if (pruning_.dropped > 0) describe(pruning_, profile);
  for (const auto& [reason, count] : collector_.language_losses()) profile.add_loss(reason, count);
  for (const auto& [reason, count] : collector_.context_losses()) profile.add_loss(reason, count);
  add_reading();
  if (collector_.lost_process_records() > 0)
    profile.add_loss("records of what processes mapped", collector_.lost_process_records());
}

// What was read of binaries, and behind which walls, where that is not as it should be.
void ProfileBuilder::add_reading() {
  if (places_given_up_ > 0) profile_->add_loss("places in files whose reading had to be ended", places_given_up_);
  symbolize::Jail* const jail = symbolize::Jail::get();
  if (jail == nullptr) return;
  const symbolize::Jail::Account account = jail->account();
  if (!account.no_worker.empty())
    profile_->add_fact("reading binaries", "in this process, as no worker can be started: " + account.no_worker);
  else if (account.started > 0 && !account.walls.all())
    profile_->add_fact("reading binaries", "by a worker without " + account.walls.missing());
}

// After pruning; nothing: it was left out.
SlotValue ProfileBuilder::value_of(size_t slot) const {
  const SlotValue value = counted(slot);
  const double weight = pruning_.weights.empty() ? 1 : pruning_.weights[slot];
  if (weight == 1) return value;
  if (weight == 0) return {};
  return {std::max<uint64_t>(1, static_cast<uint64_t>(std::llround(static_cast<double>(value.samples) * weight))),
          static_cast<uint64_t>(std::llround(static_cast<double>(value.weight) * weight))};
}

// A number for the function that a slot's stack ends in; 0: it has none. What a thread waited for and whom it woke is told
// apart as well.
uint64_t ProfileBuilder::leaf_of(size_t slot) {
  const Slot& of = collector_.slots()[slot];
  const auto places = collector_.stack(of.stack);
  if (places.empty()) return 0;
  const auto lines = profile_->lines[profile_->frames[frame_of(places.front())].lines];
  const uint64_t function = lines.empty() ? uint64_t{1} << 31 | raw(places.front()) : raw(lines.front().function) + 1;
  return function << 16 ^ of.note;
}

// What tells phases apart: the innermost function of an interpreted language, or else the one that the stack ends in.
std::optional<uint64_t> ProfileBuilder::doing(size_t slot) {
  const Slot& of = collector_.slots()[slot];
  if (part_of(slot)) return std::nullopt;
  for (const PlaceNumber place : collector_.stack(of.stack)) {
    if (modules_.reader(collector_.place(place).module) == nullptr) continue;
    const auto lines = profile_->lines[profile_->frames[frame_of(place)].lines];
    if (!lines.empty()) return uint64_t{raw(lines.front().function)} << 1;
  }
  return leaf_of(slot) << 1 | 1;  // told apart from the others' numbers
}

void ProfileBuilder::add_pruned(uint64_t samples, double weight) {
  if (samples == 0) return;
  std::vector<int64_t> values(profile_->value_types().size());
  values[0] = static_cast<int64_t>(samples);
  values[1] = scaled(weight, 1);
  const FrameId frame = profile_->named_frame(kPruned);
  profile_->samples.add(profile_->stacks.intern({&frame, 1}), {}, values);
}

void ProfileBuilder::weigh_places() {
  weights_.assign(collector_.places(), 0);
  whole_ = whole_samples_ = 0;
  const auto slots = collector_.slots();
  for (size_t i = 1; i < slots.size(); ++i) {
    const uint64_t weight = collector_.value(i).weight;
    whole_ += weight;
    whole_samples_ += collector_.value(i).samples;
    if (weight == 0) continue;
    const uint64_t counted = reader_of(slots[i]) == nullptr ? weight : weight / kBelowLanguage;
    for (const PlaceNumber place : collector_.stack(slots[i].stack)) weights_[raw(place)] += counted;
  }
}

// Who reads binaries is asked once for all that is wanted of each: of the innermost `depth` places of the stacks that stay.
void ProfileBuilder::prepare_places(size_t depth) {
  std::unordered_map<ModuleNumber, std::vector<symbolize::Module::Wanted>> wanted;
  std::vector<bool> is_seen(weights_.size());
  const auto slots = collector_.slots();
  for (size_t i = 1; i < slots.size(); ++i) {
    if (value_of(i).samples == 0) continue;
    const auto places = collector_.stack(slots[i].stack);
    for (const PlaceNumber number : places.first(std::min(depth, places.size()))) {
      const CodePlace& place = collector_.place(number);
      if (is_seen[raw(number)] || frames_[raw(number)] != FrameId{0}) continue;
      is_seen[raw(number)] = true;
      if (place.module >= kFirstFileModule && modules_.file(place.module) != nullptr)
        wanted[place.module].push_back({place.address, effort_for(number)});
    }
  }
  for (const auto& [module, addresses] : wanted) modules_.prepare(module, addresses);
}

symbolize::Module::Effort ProfileBuilder::effort_for(PlaceNumber place) const {
  const uint64_t weight = weights_[raw(place)];
  const bool is_rare = weight * kRarely < whole_;
  const double samples = static_cast<double>(weight) / static_cast<double>(whole_ | 1) * static_cast<double>(whole_samples_);
  const bool is_of_few = spares_debug_files_ && samples < kHandful;
  return is_rare || is_of_few ? symbolize::Module::Effort::Names : symbolize::Module::Effort::Whole;
}

int64_t ProfileBuilder::scaled(double weight, double factor) {
  const double exact = weight * factor + rounded_off_;
  const auto whole = static_cast<int64_t>(std::llround(exact));
  rounded_off_ = exact - static_cast<double>(whole);
  return whole;
}

void ProfileBuilder::add_sample(size_t number, const SlotValue& value, bool has_waits, int64_t time_ns) {
  const Slot& slot = collector_.slots()[number];
  std::vector<FrameId> frames = frames_of(slot);
  const std::string& note = collector_.note(slot.note);
  const bool is_waker = note == kWakerNote;
  std::string reason = note;
  if (is_waker)
    trim_waker(frames);
  else if (!note.empty())
    trim_wait(slot, frames, reason);
  if (frames.empty()) frames.push_back(profile_->named_frame(kLostStack));
  const auto samples = static_cast<int64_t>(value.samples);
  const int64_t weight = scaled(static_cast<double>(value.weight), factor_of(number));
  std::vector<int64_t> values{is_waker ? 0 : samples, is_waker ? 0 : weight};
  if (has_waits) values.push_back(is_waker ? weight : 0);
  profile_->samples.add(profile_->stacks.intern(frames), labels_of(slot, is_waker ? "" : reason), values, time_ns);
}

std::vector<std::vector<StackCollector::Timed>> ProfileBuilder::timed_by_slot() const {
  std::vector<std::vector<StackCollector::Timed>> by_slot;
  if (collector_.timed().empty()) return by_slot;
  by_slot.resize(collector_.slots().size());
  for (const StackCollector::Timed& timed : collector_.timed()) by_slot[timed.slot].push_back(timed);
  return by_slot;
}

// Returns what is left of the slot, of which nobody knows when it was.
SlotValue ProfileBuilder::add_timed(size_t number, SlotValue value, const std::vector<StackCollector::Timed>& timed) {
  const uint64_t ahead = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC);
  for (const auto& [time_ns, slot, part] : timed) {
    add_sample(number, part, false, static_cast<int64_t>(time_ns + ahead));
    value = {value.samples - part.samples, value.weight - part.weight};
  }
  return value;
}

std::vector<FrameId> ProfileBuilder::frames_of(const Slot& slot) {
  std::vector<FrameId> frames;
  for (const PlaceNumber place : collector_.stack(slot.stack)) frames.push_back(frame_of(place));
  return frames;
}

bool ProfileBuilder::is_kernel(FrameId frame) const { return profile_->text(profile_->frames[frame].kind) == kKernelKind; }

std::string_view ProfileBuilder::name_of(FrameId frame) const {
  const auto lines = profile_->lines[profile_->frames[frame].lines];
  return lines.empty() ? std::string_view{} : function_name(*profile_, lines.front().function);
}

void ProfileBuilder::trim_above(std::vector<FrameId>& frames) const {
  std::vector<std::string_view> names;
  for (size_t i = 0; i < frames.size() && is_kernel(frames[i]); ++i) names.push_back(name_of(frames[i]));
  frames.erase(frames.begin(), frames.begin() + static_cast<std::ptrdiff_t>(count_above_the_wait(names)));
}

// What is left begins where the thread waits; the kernel's functions there say for what.
void ProfileBuilder::trim_wait(const Slot& slot, std::vector<FrameId>& frames, std::string& reason) const {
  trim_above(frames);
  if (reason == "cpu") return;
  std::vector<std::string_view> names;
  for (const FrameId frame : frames)
    if (is_kernel(frame)) names.push_back(name_of(frame));
  if (reason == "blocked") reason = wait_reason(names);
  const StackReader* reader = reader_of(slot);
  if (reader == nullptr) return;
  std::vector<std::string_view> inner;
  for (const FrameId frame : frames) {
    const std::string_view kind = profile_->text(profile_->frames[frame].kind);
    if (kind == kKernelKind) continue;
    for (const Line& line : profile_->lines[profile_->frames[frame].lines])
      inner.push_back(function_name(*profile_, line.function));
    if (kind != "native") break;  // the innermost of the language, which may stand for a part of the interpreter
  }
  if (const std::string_view better = reader->wait_reason(inner); !better.empty()) reason = better;
}

// Of the interpreter whose frames are in that stack; null: there are none.
const StackReader* ProfileBuilder::reader_of(const Slot& slot) const {
  for (const PlaceNumber place : collector_.stack(slot.stack))
    if (const StackReader* reader = modules_.reader(collector_.place(place).module)) return reader;
  return nullptr;
}

// A timer or a device wakes in the name of whoever runs at that moment; only the interrupt is the waker then.
void ProfileBuilder::trim_waker(std::vector<FrameId>& frames) const {
  trim_above(frames);
  for (size_t i = 0; i < frames.size(); ++i)
    if (is_kernel(frames[i]) && is_interrupt(name_of(frames[i]))) {
      frames.resize(i + 1);
      return;
    }
}

LabelSetId ProfileBuilder::labels_of(const Slot& slot, const std::string& reason) {
  const ThreadKey& thread = collector_.thread(slot.thread);
  std::vector<LabelId> labels;
  const std::string_view comm(thread.comm.data(), ::strnlen(thread.comm.data(), thread.comm.size()));
  const std::string in_language = collector_.name_in_language(slot.thread);
  const std::string_view name = in_language.empty() ? comm : std::string_view(in_language);
  if (!name.empty()) labels.push_back(profile_->string_label("thread.name", name));
  if (thread != ThreadKey{}) {
    labels.push_back(profile_->int_label("thread.id", thread.tid));
    labels.push_back(profile_->int_label("process.pid", thread.pid));
  }
  if (!reason.empty()) labels.push_back(profile_->string_label("wait", reason));
  if (slot.holds_lock)
    if (const StackReader* reader = reader_of(slot); reader != nullptr && !reader->lock_name().empty())
      labels.push_back(profile_->string_label(reader->lock_name(), "held"));
  for (const auto& [key, value] : collector_.context_labels(slot.context))
    labels.push_back(profile_->string_label(key, value));
  return profile_->label_set(std::move(labels));
}

FrameId ProfileBuilder::frame_of(PlaceNumber number) {
  FrameId& frame = frames_[raw(number)];
  if (frame != FrameId{0}) return frame;
  const CodePlace& place = collector_.place(number);
  if (place.module == kKernelModule)
    frame = kernel_frame(place.address);
  else if (place.module == kUnknownModule)
    frame = profile_->frames.intern({.address = place.address, .kind = profile_->strings.intern("native")});
  else if (modules_.reader(place.module) != nullptr)
    frame = language_frame(*modules_.reader(place.module), place.address);
  else if (modules_.jit_process(place.module) != 0)
    frame = jit_frame(place.module, place.address);
  else
    frame = file_frame(place.module, place.address, effort_for(number));
  return frame;
}

FrameId ProfileBuilder::kernel_frame(uint64_t address) {
  if (!has_asked_for_kernel_) {
    has_asked_for_kernel_ = true;
    std::string why;
    kernel_ = modules_.kernel_symbols(why);
    if (kernel_ == nullptr) profile_->add_fact("kernel symbols", why);
  }
  const auto symbol = kernel_ == nullptr ? std::nullopt : kernel_->resolve(address);
  Mapping mapping{.filename = profile_->strings.intern(kKernelMapping), .has_functions = kernel_ != nullptr};
  if (symbol && !symbol->module.empty())
    mapping.filename = profile_->strings.intern("[" + std::string(symbol->module) + "]");
  mapping.limit = UINT64_MAX;
  Frame frame{
      .address = address, .mapping = profile_->mappings.intern(mapping), .kind = profile_->strings.intern(kKernelKind)};
  if (symbol) {
    const StringId name = profile_->strings.intern(symbol->name);
    const Line line{.function = profile_->functions.intern({.name = name, .system_name = name})};
    frame.lines = profile_->lines.intern({&line, 1});
  }
  return profile_->frames.intern(frame);
}

// Addresses are the binary's own, not those of one process: profiles of many processes and runs then merge and compare.
MappingId ProfileBuilder::file_mapping(ModuleNumber number, uint64_t address) {
  symbolize::Module& module = *modules_.file(number);
  Mapping mapping{.filename = profile_->strings.intern(module.path()),
                  .build_id = profile_->strings.intern(module.build_id())};
  mapping.limit = UINT64_MAX;
  for (const auto& segment : module.segments()) {
    if (address < segment.address || address - segment.address >= segment.memory_size) continue;
    mapping.start = segment.address;
    mapping.limit = segment.address + segment.memory_size;
    mapping.file_offset = segment.file_offset;
  }
  mapping.has_functions = mapping.has_filenames = mapping.has_line_numbers = mapping.has_inline_frames = true;
  return profile_->mappings.intern(mapping);
}

FrameId ProfileBuilder::file_frame(ModuleNumber module, uint64_t address, symbolize::Module::Effort effort) {
  Frame frame{.address = address, .mapping = file_mapping(module, address), .kind = profile_->strings.intern("native")};
  std::vector<Line> lines;
  for (const symbolize::SourceFrame& source : modules_.resolve(module, address, effort)) {
    const Function function{.name = profile_->strings.intern(source.function),
                            .system_name = profile_->strings.intern(source.system_name),
                            .filename = profile_->strings.intern(source.file),
                            .start_line = source.start_line};
    lines.push_back({.line = source.line, .function = profile_->functions.intern(function)});
  }
  if (!modules_.file(module)->trouble().empty()) ++places_given_up_;
  frame.lines = profile_->lines.intern(lines);
  return profile_->frames.intern(frame);
}

// Known by name and place alone, so that the same function of many processes is one.
FrameId ProfileBuilder::language_frame(const StackReader& reader, uint64_t id) {
  const LanguageName named = reader.name(static_cast<uint32_t>(id));
  const StringId name = profile_->strings.intern(named.function);
  const Function function{
      .name = name, .system_name = name, .filename = profile_->strings.intern(named.file), .start_line = named.start_line};
  const Line line{.line = named.line, .function = profile_->functions.intern(function)};
  return profile_->frames.intern(
      {.lines = profile_->lines.intern({&line, 1}), .kind = profile_->strings.intern(named.kind)});
}

const symbolize::JitMap* ProfileBuilder::jit_map(ModuleNumber module) {
  const auto [found, is_new] = jit_maps_.try_emplace(module);
  if (!is_new) return found->second.get();
  const symbolize::JitMapFile* file = modules_.jit_map(module);
  Result<symbolize::JitMap> map = fail(ErrorCode::NotFound, "it ended before it was looked at");
  if (file != nullptr) map = file->read();
  if (map.ok())
    found->second = std::make_unique<symbolize::JitMap>(map.take());
  else
    profile_->add_fact("code made at run time has no names",
                       std::to_string(modules_.jit_process(module)) + ": " + map.error().message);
  return found->second.get();
}

FrameId ProfileBuilder::jit_frame(ModuleNumber module, uint64_t address) {
  const pid_t pid = modules_.jit_process(module);
  Mapping mapping{.filename = profile_->strings.intern("[jit " + std::to_string(pid) + "]")};
  mapping.limit = UINT64_MAX;
  Frame frame{.address = address, .mapping = profile_->mappings.intern(mapping), .kind = profile_->strings.intern("jit")};
  const symbolize::JitMap* map = jit_map(module);
  if (const auto symbol = map == nullptr ? std::nullopt : map->resolve(address)) {
    const StringId name = profile_->strings.intern(symbol->name);
    Function function{.name = name, .system_name = name};
    if (const auto split = split_jit_name(symbol->name)) {
      function = {.name = profile_->strings.intern(split->function),
                  .filename = profile_->strings.intern(split->file),
                  .start_line = split->start_line};
      frame.kind = profile_->strings.intern(split->frame_kind);
    }
    const Line line{.function = profile_->functions.intern(function)};
    frame.lines = profile_->lines.intern({&line, 1});
  }
  return profile_->frames.intern(frame);
}

}  // namespace atys::capture::native

// SPDX-License-Identifier: Apache-2.0
#include "capture/native/stack_collector.h"

#include <algorithm>
#include <cstring>

#include "linux/remote_memory.h"
#include "unwind/call_site.h"

namespace atys::capture::native {

namespace {

constexpr size_t kDeepest = 2048;
constexpr size_t kMostDeepStacks = 32;
constexpr uint32_t kManyShortCopies = 2;
constexpr uint8_t kChainEnded = 100;  // beyond unwind::End: a chain by frame pointers that did not reach the root
constexpr uint8_t kStackLost = 101;

#if defined(__x86_64__)
constexpr unwind::Machine kMachine = unwind::Machine::X86_64;
#else
constexpr unwind::Machine kMachine = unwind::Machine::Aarch64;
#endif

std::string explain_end(uint8_t end) {
  switch (end) {
    case kChainEnded: return "stacks cut: frame pointers ended before the root";
    case kStackLost: return "stacks not received";
    case static_cast<uint8_t>(unwind::End::StackCopyEnded): return "stacks cut: deeper than what was copied";
    case static_cast<uint8_t>(unwind::End::NoRule): return "stacks cut: code without unwind rules";
    case static_cast<uint8_t>(unwind::End::NoRegister): return "stacks cut: registers of a waiting thread not known";
    case static_cast<uint8_t>(unwind::End::BadPointer): return "stacks cut: no sensible return address";
    case static_cast<uint8_t>(unwind::End::TooDeep): return "stacks cut: too many frames";
    default: return "stacks cut";
  }
}

}  // namespace

uint64_t hash(const ThreadKey& thread) {
  uint64_t words[2];
  std::memcpy(words, thread.comm.data(), sizeof(words));
  return profile::hash_mix(profile::hash_mix(words[0] ^ profile::hash_seed(), words[1]),
                           uint64_t{static_cast<uint32_t>(thread.pid)} << 32 | static_cast<uint32_t>(thread.tid));
}

uint64_t hash(const Slot& slot) {
  return profile::hash_mix(
      (uint64_t{profile::raw(slot.thread)} << 32 | profile::raw(slot.stack)) ^ profile::hash_seed(),
      uint64_t{slot.context} << 32 | uint64_t{slot.note} << 2 | (slot.holds_lock ? 2u : 0u) | (slot.reaches_root ? 1u : 0u));
}

// The memory and code around one sample.
class StackCollector::Surroundings final : public unwind::Surroundings {
 public:
  Surroundings(StackCollector& collector, Process& process, const RawSample& sample)
      : collector_(collector), process_(process), sample_(sample) {}

  unwind::CodeAt code_at(uint64_t pc) override {
    const CodePlace place = process_.space.place_of(process_.pid, pc, collector_.modules_);
    if (place.module < kFirstFileModule) return {};
    return {collector_.modules_.unwind_table(place.module), pc - place.address};
  }
  bool is_executable(uint64_t pc) override { return process_.space.contains(pc); }
  uint64_t code_generation() override { return process_.space.generation(); }

  bool follows_call(uint64_t address) override {
    std::array<std::byte, 8> code{};
    // A process that has ended meanwhile cannot be asked.
    if (linux::read_remote_memory(process_.pid, address - code.size(), code) != code.size()) return true;
    return unwind::is_after_call(kMachine, code);
  }
  size_t read_memory(uint64_t address, std::span<std::byte> into) override {
    return linux::read_remote_memory(process_.pid, address, into);
  }

  // Frames deeper than the copy. The process runs on meanwhile, but what lies that deep moves only when everything above it
  // has returned; the last words of the copy are read again, and if they still are what they were, so are those behind them.
  bool read_word(uint64_t address, uint64_t& word) override {
    if (!has_read_) read_behind();
    if (address < start_ || address - start_ + sizeof(word) > size_) return false;
    std::memcpy(&word, &bytes_[address - start_], sizeof(word));
    return true;
  }

 private:
  static constexpr size_t kOverlap = 128;
  static constexpr size_t kMostBehind = size_t{512} << 10;

  void read_behind() {
    has_read_ = true;
    const auto copy = sample_.stack_copy;
    if (copy.size() < kOverlap) return;
    start_ = sample_.registers.sp + copy.size() - kOverlap;
    const auto overlap = copy.last(kOverlap);
    bytes_.resize(bytes_behind());
    size_ = linux::read_remote_memory(process_.pid, start_, bytes_);
    if (size_ == 0) return remember_last(overlap);
    if (size_ < kOverlap || std::memcmp(bytes_.data(), overlap.data(), kOverlap) != 0) {
      size_ = 0;
      return;
    }
    DeepStack& kept = collector_.deep_stack(sample_.tid);
    kept.start = start_;
    kept.bytes.assign(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(size_));
  }

  // Up to the end of the stack, where that is known.
  size_t bytes_behind() const {
    for (const linux::MappedRange& range : process_.ranges)
      if (range.contains(start_)) return std::min<uint64_t>(kMostBehind, range.end - start_);
    return kMostBehind;
  }

  // The process has ended before we came to its last samples: what was there the last time still holds if it joins on.
  void remember_last(std::span<const std::byte> overlap) {
    const DeepStack& kept = collector_.deep_stack(sample_.tid);
    if (start_ < kept.start || start_ - kept.start + kOverlap > kept.bytes.size()) return;
    const auto from = kept.bytes.begin() + static_cast<std::ptrdiff_t>(start_ - kept.start);
    if (!std::equal(overlap.begin(), overlap.end(), from)) return;
    bytes_.assign(from, kept.bytes.end());
    size_ = bytes_.size();
  }

  StackCollector& collector_;
  Process& process_;
  const RawSample& sample_;
  bool has_read_ = false;
  uint64_t start_ = 0;
  size_t size_ = 0;
  std::vector<std::byte> bytes_;
};

StackCollector::DeepStack& StackCollector::deep_stack(pid_t tid) {
  if (deep_stacks_.size() >= kMostDeepStacks && !deep_stacks_.contains(tid)) deep_stacks_.clear();
  return deep_stacks_[tid];
}

StackCollector::StackCollector(SampleSource& source, CodeModules& modules)
    : source_(source),
      modules_(modules),
      processes_(source.tells_mappings()),
      languages_(source, modules),
      contexts_(source),
      unwinder_(kMachine),
      values_(1),
      slot_ends_(1) {}

void StackCollector::set_context_finder(ContextFinder* finder) {
  if (source_.reads_contexts()) contexts_.set_finder(finder);
}

void StackCollector::look_at(pid_t pid, uint64_t now_ns) {
  const CpuMeter::Use use(modules_.first_looks());
  Process& process = processes_.process(pid);
  languages_.look_at(process, now_ns);
  contexts_.look_at(process, now_ns);
}

void StackCollector::on_process_record(const linux::PerfRecord& record) {
  if (const auto* lost = std::get_if<linux::LostRecord>(&record.body)) lost_process_records_ += lost->count;
  // A new program has a new stack.
  if (const auto* comm = std::get_if<linux::CommRecord>(&record.body); comm != nullptr && comm->is_exec) {
    threads_with_known_stack_.erase(comm->tid);
    contexts_.on_exec(comm->pid);
  }
  processes_.apply(record);
  languages_.on_process_record(record, processes_);
}

SampleSlot StackCollector::on_stack(const RawSample& sample) {
  if (sample.is_outside) return on_outsider(sample);
  note_process(sample.pid);
  frames_.clear();
  end_ = 0;
  append_kernel(sample.kernel_frames);
  bool reaches_root = true;
  StackReader* reader = nullptr;
  uint32_t context = 0;
  if (sample.registers.sp != 0 || !sample.user_frames.empty() || !sample.walked.empty() || sample.stands_still) {
    Process& process = known_process(sample.pid);
    if (!process.has_mode) choose_mode(process, sample);
    languages_.look_at(process, sample.time_ns);
    contexts_.look_at(process, sample.time_ns);
    context = contexts_.number_of(process, sample.context, sample.time_ns);
    reader = process.language.reader.get();
    if (sample.stands_still) return on_stack(languages_.walk_still(process, sample));
    if (sample.registers.sp == 0 && sample.user_frames.empty())
      reaches_root = append_language(process, sample);
    else
      reaches_root = sample.has_copy ? append_copied(process, sample) : append_chain(process, sample);
  }
  ThreadKey thread{.pid = sample.pid, .tid = sample.tid};
  std::memcpy(thread.comm.data(), sample.comm.data(), std::min(sample.comm.size(), thread.comm.size()));
  const ThreadNumber number = threads_.intern(thread);
  if (reader != nullptr) learn_name(number, *reader);
  last_slot_ = slot_of({.thread = number,
                        .stack = stacks_.intern(frames_),
                        .note = note_number(sample.note),
                        .context = context,
                        .reaches_root = reaches_root,
                        .holds_lock = (sample.walk_flags & ATYS_IS_HOLDER) != 0 && sample.note.wait.empty()});
  last_time_ns_ = sample.time_ns;
  return last_slot_;
}

// Whoever woke a thread of the target is known by his own frames and by nothing else: not his name, nor what language he
// speaks. That not all of his frames are known is nobody's loss.
SampleSlot StackCollector::on_outsider(const RawSample& sample) {
  frames_.clear();
  end_ = 0;
  append_kernel(sample.kernel_frames);
  if (sample.registers.sp != 0) {
    Process& process = processes_.process(sample.pid);
    unwind(process, sample);
    append_walk(process);
  }
  return slot_of({.thread = threads_.intern({}),
                  .stack = stacks_.intern(frames_),
                  .note = note_number(sample.note),
                  .reaches_root = true});
}

// Early, because a thread that has ended has no name any more.
void StackCollector::learn_name(ThreadNumber number, StackReader& reader) {
  if (named_by_.size() <= profile::raw(number)) named_by_.resize(profile::raw(number) + 1);
  NamedBy& named_by = named_by_[profile::raw(number)];
  named_by.reader = &reader;
  if (!named_by.is_named) named_by.is_named = !reader.thread_name(threads_[number].tid).empty();
}

std::string StackCollector::name_in_language(ThreadNumber number) const {
  const size_t at = profile::raw(number);
  if (at >= named_by_.size() || named_by_[at].reader == nullptr) return {};
  std::string name = named_by_[at].reader->thread_name(threads_[number].tid);
  return named_by_[at].reader->is_plain_thread_name(name) ? std::string() : name;
}

SampleSlot StackCollector::on_lost_stack(pid_t pid, pid_t tid) {
  note_process(pid);
  frames_.clear();
  end_ = kStackLost;
  const ThreadNumber number = threads_.intern({.pid = pid, .tid = tid});
  if (StackReader* reader = processes_.process(pid).language.reader.get(); reader != nullptr) learn_name(number, *reader);
  return slot_of({.thread = number, .stack = stacks_.intern(frames_)});
}

void StackCollector::note_process(pid_t pid) {
  if (pids_.insert(pid).second) new_pids_.push_back(pid);
}

SampleSlot StackCollector::slot_of(const Slot& slot) {
  const uint32_t number = profile::raw(slots_.intern(slot));
  if (number >= values_.size()) {
    values_.resize(number + 1);
    slot_ends_.resize(number + 1);
    slot_ends_[number] = end_;
  }
  return number;
}

std::string StackCollector::why_cut(size_t slot) const { return explain_end(slot_ends_[slot]); }

void StackCollector::add(SampleSlot slot, uint64_t samples, uint64_t weight) {
  values_[slot].samples += samples;
  values_[slot].weight += weight;
  samples_ += samples;
  if (keeps_times_ && !are_many_) keep_time(slot, {samples, weight});
}

std::map<size_t, SlotValue> StackCollector::values_of(pid_t pid) const {
  std::map<size_t, SlotValue> values;
  for (size_t i = 1; i < slots_.size(); ++i)
    if (values_[i].samples > 0 && threads_[slots_.rows()[i].thread].pid == pid) values[i] = values_[i];
  return values;
}

// What is added right after its stack was handed over was taken with it.
void StackCollector::keep_time(SampleSlot slot, SlotValue value) {
  constexpr size_t kMostTimed = 1024;
  const uint64_t time_ns = slot == last_slot_ ? std::exchange(last_time_ns_, 0) : 0;
  if (time_ns != 0) timed_.push_back({time_ns, slot, value});
  are_many_ = timed_.size() > kMostTimed;
  if (are_many_) timed_.clear();
}

void StackCollector::forget_values() {
  std::fill(values_.begin(), values_.end(), SlotValue{});
  languages_.forget_losses();
  contexts_.forget_losses();
  lost_process_records_ = 0;
  waited_.clear();
  samples_ = 0;
  parts_.clear();
  timed_.clear();
  are_many_ = false;
}

bool StackCollector::begin_part(int64_t unix_ns) {
  constexpr size_t kMostParts = 24;
  constexpr size_t kMostSlots = 8192;
  if (values_.size() > kMostSlots) {
    parts_.clear();
    return true;
  }
  const bool are_many = parts_.size() >= kMostParts;
  if (are_many) {
    size_t kept = 0;
    for (size_t i = 0; i < parts_.size(); i += 2, ++kept)
      if (kept != i) parts_[kept] = std::move(parts_[i]);
    parts_.resize(kept);
  }
  parts_.push_back({unix_ns, values_});
  return are_many;
}

void StackCollector::append_kernel(std::span<const uint64_t> frames) {
  for (size_t i = 0; i < frames.size(); ++i)
    frames_.push_back(places_.intern({kKernelModule, i == 0 ? frames[i] : frames[i] - 1}));
}

// A return address is where the call ends: one less is in the call.
void StackCollector::append_place(Process& process, uint64_t address, bool is_exact) {
  CodePlace place = process.space.place_of(process.pid, is_exact ? address : address - 1, modules_);
  if (modules_.is_ours(place.module)) return;
  frames_.push_back(places_.intern(place));
}

void StackCollector::unwind(Process& process, const RawSample& sample) {
  Surroundings surroundings(*this, process, sample);
  const unwind::Registers registers{.pc = sample.registers.pc,
                                    .sp = sample.registers.sp,
                                    .fp = sample.registers.fp,
                                    .lr = sample.registers.lr,
                                    .bx = sample.registers.bx,
                                    .has_fp = sample.registers.has_others,
                                    .has_lr = sample.registers.has_others,
                                    .has_bx = sample.registers.has_others};
  unwinder_.walk(registers, {sample.registers.sp, sample.stack_copy}, surroundings, kDeepest, walk_);
}

void StackCollector::append_walk(Process& process) {
  for (size_t i = 0; i < walk_.addresses.size(); ++i) append_place(process, walk_.addresses[i], walk_.is_exact[i]);
}

bool StackCollector::append_copied(Process& process, const RawSample& sample) {
  if (source_.wants_stack_ends() && sample.tid != sample.pid && !threads_with_known_stack_.contains(sample.tid))
    learn_stack_end(process, sample);
  if (!source_.tells_mappings()) keep_up_with_code(process, sample);
  unwind(process, sample);
  if (walk_.end != unwind::End::Root && !source_.tells_mappings() && knows_more_code(process, sample.time_ns))
    unwind(process, sample);
  if (const auto* mixed = languages_.mix(process, sample, walk_)) {
    for (const MixedFrame& frame : *mixed)
      if (frame.is_language)
        frames_.push_back(places_.intern({process.language.module, frame.number}));
      else
        append_place(process, walk_.addresses[frame.number], walk_.is_exact[frame.number]);
  } else {
    append_walk(process);
  }
  end_ = static_cast<uint8_t>(walk_.end);
  if (walk_.end == unwind::End::StackCopyEnded && ++short_copies_ == kManyShortCopies) source_.want_deeper_stacks();
  return walk_.end == unwind::End::Root;
}

// At once where the sample tells that libraries have changed, else now and then.
void StackCollector::keep_up_with_code(Process& process, const RawSample& sample) {
  constexpr uint64_t kNowAndThenNs = 200'000'000;
  const bool has_changed = sample.loaded != process.loaded;
  if (!has_changed && (sample.loaded != 0 || sample.time_ns < process.mapped_at_ns + kNowAndThenNs)) return;
  process.loaded = sample.loaded;
  process.mapped_at_ns = 0;
  (void)knows_more_code(process, sample.time_ns);
}

// A library that was loaded since nobody told of. Told as if it had been: it may bring an interpreter.
bool StackCollector::knows_more_code(Process& process, uint64_t now_ns) {
  std::vector<linux::MappedRange> added;
  if (!processes_.read_again(process, now_ns, added)) return false;
  for (linux::MappedRange& range : added) {
    const linux::PerfRecord record{now_ns, linux::MapRecord{process.pid, std::move(range)}};
    languages_.on_process_record(record, processes_);
  }
  return true;
}

// Frames of an interpreter alone.
bool StackCollector::append_language(Process& process, const RawSample& sample) {
  walk_.addresses.clear();
  const auto* mixed = languages_.mix(process, sample, walk_);
  if (mixed == nullptr) return false;
  for (const MixedFrame& frame : *mixed) frames_.push_back(places_.intern({process.language.module, frame.number}));
  return true;
}

bool StackCollector::append_chain(Process& process, const RawSample& sample) {
  const auto frames = sample.user_frames;
  if (frames.empty()) return true;
  append_place(process, frames[0], true);
  // A function without a frame of its own, most often one that calls nothing: a walk by frame pointers misses its caller.
  if (sample.registers.lr != 0) {
    const CodePlace leaf = process.space.place_of(process.pid, frames[0], modules_);
    const auto* table = leaf.module >= kFirstFileModule ? modules_.unwind_table(leaf.module) : nullptr;
    const uint64_t caller = unwind::strip_pointer_authentication(sample.registers.lr);
    if (table != nullptr && unwind::has_no_frame(*table, leaf.address) && process.space.contains(caller - 1))
      append_place(process, caller, false);
  }
  for (size_t i = 1; i < frames.size(); ++i) append_place(process, unwind::strip_pointer_authentication(frames[i]), false);
  end_ = kChainEnded;
  return is_root(process, frames.back() - (frames.size() > 1 ? 1 : 0));
}

bool StackCollector::is_root(Process& process, uint64_t address) {
  const CodePlace place = process.space.place_of(process.pid, address, modules_);
  if (place.module < kFirstFileModule) return false;
  const auto* table = modules_.unwind_table(place.module);
  const unwind::Rule* rule = table == nullptr ? nullptr : table->find(place.address);
  return rule != nullptr && rule->cfa == unwind::Rule::Cfa::Root;
}

// Where the program itself lies, if it is of Go.
std::optional<linux::MappedRange> StackCollector::code_of_go(Process& process) {
  std::optional<linux::MappedRange> code;
  process.space.for_each([&](const linux::MappedRange& range) {
    if (!code && !range.path.empty() && range.path.front() == '/') code = range;
  });
  if (!code) return std::nullopt;
  const ModuleNumber program = process.space.place_of(process.pid, code->start, modules_).module;
  return program >= kFirstFileModule && modules_.is_go(program) ? code : std::nullopt;
}

// Copies are exact wherever there are unwind rules. Go keeps frame pointers, and its stacks lie where nobody knows how far
// to copy. The program itself is the lowest mapping of a file; its libraries are opened only when a stack passes through
// them.
void StackCollector::choose_mode(Process& process, const RawSample& sample) {
  process.has_mode = true;
  if (const auto code = code_of_go(process)) {
    process.is_by_frame_pointer = true;
    source_.set_stack_mode(sample.pid, StackMode::ByFramePointer);
    source_.set_code_range(sample.pid, code->start, code->end);
  } else if (std::exchange(process.is_by_frame_pointer, false)) {
    source_.set_stack_mode(sample.pid, StackMode::ByCopy);
  }
}

Process& StackCollector::known_process(pid_t pid) {
  if (Process* process = processes_.find(pid); process != nullptr && process->is_mapped) return *process;
  const CpuMeter::Use use(modules_.first_looks());
  return processes_.process(pid);
}

void StackCollector::learn_stack_end(Process& process, const RawSample& sample) {
  const CpuMeter::Use use(modules_.first_looks());
  const auto tell = [&] {
    for (const linux::MappedRange& range : process.ranges)
      if (range.contains(sample.registers.sp)) {
        threads_with_known_stack_.insert(sample.tid);
        source_.set_stack_end(sample.tid, range.end);
        return true;
      }
    return false;
  };
  if (tell()) return;
  auto ranges = linux::read_maps(sample.pid);
  if (!ranges.ok()) return;
  process.ranges = ranges.take();
  std::erase_if(process.ranges, [](const linux::MappedRange& range) { return range.is_executable; });
  tell();
}

uint32_t StackCollector::note_number(const SampleNote& note) {
  const std::string_view text = note.is_waker ? kWakerNote : note.wait;
  const auto found = std::find(notes_.begin(), notes_.end(), text);  // there are three or four
  if (found != notes_.end()) return static_cast<uint32_t>(found - notes_.begin());
  notes_.emplace_back(text);
  return static_cast<uint32_t>(notes_.size() - 1);
}

}  // namespace atys::capture::native

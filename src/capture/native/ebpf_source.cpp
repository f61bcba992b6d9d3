// SPDX-License-Identifier: Apache-2.0
#include "capture/native/ebpf_source.h"

#include <unistd.h>

#include <cstring>

#include "base/clock.h"
#include "capture/native/kept_kernel_types.h"
#include "capture/native/sampler_object.h"
#include "linux/host.h"
#include "linux/namespaces.h"
#include "linux/remote_memory.h"

namespace atys::capture::native {

namespace {

// A call chain by frame pointers is wrong in most of what x86_64 distributions build, and on aarch64, where nearly all code
// has them, in places: in prologues, below signal handlers, beyond 127 frames, and where code comes and goes at one address,
// as what is counted in the kernel is counted by address. Processes that need it otherwise get their own mode.
constexpr uint32_t kDefaultMode = ATYS_BY_COPY;

constexpr size_t kSwapAfterStacks = 8192;     // half of the counters
constexpr uint32_t kCountersWhereOne = 4096;  // the kernel takes its time to make large maps
constexpr uint32_t kProcessesWhereOne = 16;
constexpr uint32_t kRingOfSeveral = 1 << 20;  // bytes; the sampler wakes us when a quarter of it is full
constexpr size_t kSwapWhereOne = kCountersWhereOne / 2;
constexpr size_t kMostWaiting = 65536;
constexpr uint64_t kLookAtWaitsNs = 50'000'000;
constexpr double kManyWaitsPerSecond = 30'000;

bool follows_children(const EbpfPlan& plan) { return plan.only_listed_processes && plan.with_children; }

Result<linux::BpfObject> load_sampler(const EbpfPlan& plan, const std::vector<int>& cpus,
                                      std::span<const std::byte> kernel_types) {
  auto object = TRY(linux::BpfObject::open(sampler_object(), "atys_sampler", kernel_types));
  object.set_constant("only_listed_processes", static_cast<uint32_t>(plan.only_listed_processes));
  object.set_constant("only_tgid", static_cast<uint32_t>(plan.only_process));
  object.set_constant("wakes_for_threads", static_cast<uint32_t>(plan.may_wait()));
  object.set_constant("default_mode", kDefaultMode);
  object.set_constant("our_tgid", static_cast<uint32_t>(::getpid()));
  object.set_constant("our_pid_namespace", static_cast<uint32_t>(linux::inner_pid_namespace()));
  object.set_constant("with_waits", static_cast<uint32_t>(plan.with_waits));
  object.set_constant("max_samples", plan.max_samples);
  if (plan.only_process != 0) {
    TRY(object.set_map_size("processes", kProcessesWhereOne));
    for (const char* map : {"counts_a", "counts_b"}) TRY(object.set_map_size(map, kCountersWhereOne));
  }
  if (plan.is_one_of_several) TRY(object.set_map_size("ring", kRingOfSeveral));
  TRY(object.set_map_size("scratches", static_cast<uint32_t>(cpus.back() + 1)));
  if (!plan.with_cpu) TRY(object.leave_out("sample"));
  if (!plan.with_waits)
    for (const char* program : {"on_switch", "on_syscall_end", "on_waking", "on_cut"}) TRY(object.leave_out(program));
  for (const char* program : {"on_event", "on_tracepoint"})
    if (!plan.event || EventWatch::program_of(*plan.event) != std::string_view(program)) TRY(object.leave_out(program));
  if (!follows_children(plan)) TRY(object.leave_out("on_fork"));
  TRY(object.load());
  return object;
}

}  // namespace

Result<std::unique_ptr<SampleSource>> EbpfSource::open(const EbpfPlan& plan) {
  TRY(linux::check_bpf_is_permitted());
  const std::vector<int> cpus = linux::online_cpus();
  const Bytes kernel_types = kept_kernel_types(sampler_object(), plan.cache_folder);
  auto loaded = load_sampler(plan, cpus, kernel_types);
  if (!loaded.ok() && !kernel_types.empty()) loaded = load_sampler(plan, cpus, {});
  auto object = TRY(std::move(loaded));
  auto sideband = TRY(Sideband::open(cpus, plan.only_process));
  std::unique_ptr<EbpfSource> source(new EbpfSource(plan, std::move(object), std::move(sideband)));
  source->period_ns_ = TRY(source->object_.variable<uint64_t>("sample_period_ns"));
  source->since_ns_ = TRY(source->object_.variable<uint64_t>("recording_since_ns"));
  source->counters_ = TRY(source->object_.variable<Counters>("counters"));
  source->lasting_ = TRY(source->object_.variable<LastingCode>("lasting"));
  source->processes_ =
      TRY(tell_processes(source->object_, {plan.only_listed_processes, plan.with_children, plan.only_process}));
  source->ring_.emplace(TRY(linux::BpfRing::open(source->object_.map("ring"))));
  source->cost_.measure(source->object_);
  if (plan.with_cpu) source->timers_.emplace(TRY(CpuTimers::open(source->object_, plan.period_ns)));
  if (plan.event)
    source->events_.emplace(TRY(EventWatch::open(source->object_, {.event = *plan.event,
                                                                   .is_of_threads = plan.watches_threads,
                                                                   .with_children = plan.with_children,
                                                                   .waits_for_exec = plan.waits_for_exec})));
  TRY(source->set_period(plan.period_ns));
  if (follows_children(plan)) TRY(source->object_.attach("on_fork"));
  TRY(source->object_.attach("on_exit"));
  return std::unique_ptr<SampleSource>(std::move(source));
}

Result<> EbpfSource::add_process(pid_t pid) {
  TRY(processes_->add(pid));
  return events_ ? events_->add_process(pid) : Result<>();
}

Result<> EbpfSource::start() {
  TRY(sideband_.start());
  *since_ns_ = clock_ns(CLOCK_MONOTONIC);
  if (timers_) TRY(timers_->start());
  if (events_) TRY(events_->start());
  if (plan_.with_waits)
    for (const char* program : {"on_switch", "on_syscall_end", "on_waking"}) TRY(object_.attach(program));
  takes_late_stacks_ = plan_.with_waits;
  return {};
}

void EbpfSource::stop() {
  if (is_stopped_) return;
  is_stopped_ = true;
  if (timers_) timers_->stop();
  if (events_) events_->stop();
  object_.detach_all();
}

Result<> EbpfSource::set_period(uint64_t period) {
  *period_ns_ = period;
  return timers_ ? timers_->set_period(period) : Result<>();
}

void EbpfSource::set_stack_mode(pid_t pid, StackMode mode) {
  processes_->set_mode(pid, mode == StackMode::ByCopy    ? ATYS_BY_COPY
                            : mode == StackMode::Without ? ATYS_WITHOUT
                                                         : ATYS_BY_FRAME_POINTER);
}

void EbpfSource::set_stack_end(pid_t tid, uint64_t address) {
  const auto key = static_cast<uint32_t>(tid);
  (void)object_.map("stack_ends").update(&key, &address);  // without it more is copied than needed, no harm
}

void EbpfSource::set_thread_state(pid_t tid, uint64_t address) {
  const auto key = static_cast<uint32_t>(tid);
  (void)object_.map("thread_states").update(&key, &address);  // then the sampler has to find it itself
}

// Programs may read meanwhile: with half of it they get a number that no code has.
void EbpfSource::set_lasting_code(pid_t pid, const atys_lasting& code) {
  const uint64_t key = atys_lasting_key(code.code, static_cast<uint32_t>(pid));
  atys_lasting& place = (*lasting_)[atys_lasting_place(key)];
  __atomic_store_n(&place.code, 0, __ATOMIC_SEQ_CST);
  __atomic_store_n(&place.words, code.words, __ATOMIC_SEQ_CST);
  __atomic_store_n(&place.cookie, code.cookie, __ATOMIC_SEQ_CST);
  __atomic_store_n(&place.code, key, __ATOMIC_SEQ_CST);
}

void EbpfSource::take_record(std::span<const std::byte> record) {
  if (record.size() < sizeof(atys_record)) return;
  pieces_.emplace_back(arena_.size(), record.size());
  arena_.insert(arena_.end(), record.begin(), record.end());
  arena_.resize((arena_.size() + 7) & ~size_t{7});
}

// Samples first, then what the processes did: so everything that happened before a sample is known when it is looked at.
void EbpfSource::collect(SampleSink& sink) {
  arena_.clear();
  pieces_.clear();
  process_records_.clear();
  ring_->drain([this](std::span<const std::byte> record) { take_record(record); });
  sideband_.drain(process_records_);
  auto process_record = process_records_.begin();
  for (const auto& [offset, size] : pieces_) {
    uint64_t time_ns = 0;
    std::memcpy(&time_ns, &arena_[offset + offsetof(atys_record, time_ns)], sizeof(time_ns));
    for (; process_record != process_records_.end() && process_record->time_ns <= time_ns; ++process_record)
      sink.on_process_record(*process_record);
    hand_over({&arena_[offset], size}, sink);
  }
  for (; process_record != process_records_.end(); ++process_record) sink.on_process_record(*process_record);
  if (stacks_since_swap_ > (plan_.only_process != 0 ? kSwapWhereOne : kSwapAfterStacks)) collect_counts(sink);
  spare_fast_switchers();
  cost_.measure(object_);
}

// A record in two parts: the fixed one, and a sample that points into the other.
bool EbpfSource::read_record(std::span<const std::byte> bytes, atys_record& record, RawSample& sample) {
  std::memcpy(&record, bytes.data(), sizeof(record));
  const auto payload = bytes.subspan(sizeof(record));
  const size_t kernel_bytes = record.kernel_frames * sizeof(uint64_t);
  const size_t walked_bytes = record.walked * sizeof(atys_walked);
  const size_t user_bytes = record.copied_bytes + record.user_frames * sizeof(uint64_t);
  const size_t user_at = kernel_bytes + walked_bytes;
  const size_t context_at = (user_at + user_bytes + 7) & ~size_t{7};
  if (user_at + user_bytes > payload.size()) return false;
  if (record.context_bytes > 0 && context_at + record.context_bytes > payload.size()) return false;
  const auto* words = reinterpret_cast<const uint64_t*>(payload.data());
  sample.time_ns = record.time_ns;
  sample.pid = static_cast<pid_t>(record.tgid);
  sample.tid = static_cast<pid_t>(record.tid);
  sample.comm = {reinterpret_cast<const char*>(bytes.data()) + offsetof(atys_record, comm),
                 ::strnlen(record.comm, ATYS_COMM)};
  sample.kernel_frames = {words, record.kernel_frames};
  sample.registers = {record.pc, record.sp, record.fp, record.lr, record.bx};
  sample.has_copy = record.copied_bytes > 0 || record.type == ATYS_STACK_COPY;
  if (sample.has_copy)
    sample.stack_copy = payload.subspan(user_at, user_bytes);
  else
    sample.user_frames = {words + user_at / sizeof(uint64_t), record.user_frames};
  sample.walked = {reinterpret_cast<const atys_walked*>(words + record.kernel_frames), record.walked};
  sample.walk_flags = record.walk_flags;
  sample.is_outside = (record.walk_flags & ATYS_OUTSIDE) != 0;
  if (record.context_bytes > 0) sample.context = payload.subspan(context_at, record.context_bytes);
  return true;
}

void EbpfSource::hand_over_code(std::span<const std::byte> bytes, SampleSink& sink) {
  atys_code code{};
  if (bytes.size() < sizeof(code)) return;
  std::memcpy(&code, bytes.data(), sizeof(code));
  std::vector<CodeCopy::Piece> pieces;
  for (size_t i = 0; i < ATYS_PIECES; ++i)
    if (const uint64_t size = std::min<uint64_t>(code.copied[i].bytes, ATYS_PIECE_BYTES); size > 0)
      pieces.push_back({code.copied[i].address, std::as_bytes(std::span(code.pieces[i])).first(size)});
  CodeCopy copy(code.head.pc, code.head.stack_hash, std::move(pieces));
  sink.on_code(static_cast<pid_t>(code.head.tgid), copy);
}

void EbpfSource::hand_over(std::span<const std::byte> bytes, SampleSink& sink) {
  atys_record record{};
  RawSample sample;
  std::memcpy(&record.type, bytes.data(), sizeof(record.type));
  if (record.type == ATYS_CODE) return hand_over_code(bytes, sink);
  if (!read_record(bytes, record, sample)) return;
  has_handed_over_ = true;
  switch (record.type) {
    case ATYS_STACK_COPY: sink.add(sink.on_stack(sample), 1, record.weight); return;
    case ATYS_COUNTED_STACK:
      slots_[{record.tgid, record.tid, record.stack_hash}] = sink.on_stack(sample);
      ++stacks_since_swap_;
      return;
    case ATYS_WAIT_BEGIN:
      if (waiting_.size() < kMostWaiting) waiting_[record.tid] = {record.stack_hash, {bytes.begin(), bytes.end()}};
      return;
    case ATYS_WAKER:
      sample.note.is_waker = true;
      if (wakers_.size() >= kMostWaiting) wakers_.clear();
      wakers_[record.stack_hash] = sink.on_stack(sample);
      return;
    case ATYS_WAIT:
      sample.note.wait = "blocked";
      add_wait(sample, record, sink);
      return;
    case ATYS_WAIT_END: end_wait(record, sink); return;
    case ATYS_THREAD_END:
      sink.on_thread_end({sample.pid, sample.tid, record.stack_hash, record.time_ns, record.weight});
      if (plan_.with_waits) sink.on_waited(sample.pid, sample.tid, record.pc);
      return;
    default: return;
  }
}

void EbpfSource::end_wait(const atys_record& end, SampleSink& sink) {
  const auto waiting = waiting_.find(end.tid);
  atys_record begin{};
  RawSample sample;
  if (waiting == waiting_.end() || waiting->second.pair != end.stack_hash ||
      !read_record(waiting->second.record, begin, sample)) {
    sink.add(sink.on_lost_stack(static_cast<pid_t>(end.tgid), static_cast<pid_t>(end.tid)), samples_of(end.weight),
             end.weight);
    return;
  }
  add_wait(sample, end, sink);
  waiting_.erase(waiting);
}

// Of kind wall, a sample is a period of time, whether the thread ran or waited; else it is a wait, however long.
uint64_t EbpfSource::samples_of(uint64_t wait_ns) const {
  return plan_.with_cpu ? std::max<uint64_t>(1, wait_ns / std::max<uint64_t>(1, *period_ns_)) : 1;
}

void EbpfSource::add_wait(RawSample& sample, const atys_record& wait, SampleSink& sink) {
  sample.note.wait = (wait.wait_state & ATYS_PREEMPTED) != 0 ? "cpu" : "blocked";
  sink.add(sink.on_stack(sample), samples_of(wait.weight), wait.weight);
  if (const auto waker = wakers_.find(wait.stack_hash); waker != wakers_.end()) {
    sink.add(waker->second, 1, wait.weight);
    wakers_.erase(waker);
  }
}

// Threads that wait still: judged by the same rule as those that do not any more, and what goes on is a wait of its own. An
// older kernel has no such iterator, and their waits are told when they end.
void EbpfSource::cut_waits(SampleSink& sink) {
  const auto bytes = object_.run_iterator("on_cut", kMostWaiting * sizeof(atys_cut));
  for (size_t at = 0; bytes.ok() && at + sizeof(atys_cut) <= bytes->size(); at += sizeof(atys_cut)) {
    atys_cut cut{};
    std::memcpy(&cut, bytes->data() + at, sizeof(cut));
    cut_wait(cut, sink);
  }
  if (is_stopped_) waiting_.clear();
}

void EbpfSource::cut_wait(const atys_cut& cut, SampleSink& sink) {
  atys_record begin{};
  RawSample sample;
  sink.on_waited(static_cast<pid_t>(cut.record.tgid), static_cast<pid_t>(cut.record.tid), cut.waited_ns);
  if (cut.record.weight == 0) return;
  const auto waiting = waiting_.find(cut.record.tid);
  if (cut.record.stack_hash != 0) {
    if (waiting == waiting_.end() || waiting->second.pair != cut.record.stack_hash ||
        !read_record(waiting->second.record, begin, sample))
      sink.add(sink.on_lost_stack(static_cast<pid_t>(cut.record.tgid), static_cast<pid_t>(cut.record.tid)),
               samples_of(cut.record.weight), cut.record.weight);
    else
      add_wait(sample, cut.record, sink);
    return;
  }
  const auto& record = cut.record;
  sample.time_ns = record.time_ns;
  sample.pid = static_cast<pid_t>(record.tgid);
  sample.tid = static_cast<pid_t>(record.tid);
  sample.comm = {record.comm, ::strnlen(record.comm, ATYS_COMM)};
  sample.kernel_frames = {reinterpret_cast<const uint64_t*>(cut.kernel_frames),
                          std::min<size_t>(record.kernel_frames, ATYS_MAX_KERNEL_FRAMES)};
  sample.registers = {record.pc, record.sp, record.fp, record.lr, record.bx};
  waiting_stack_.resize(ATYS_MAX_COPY);
  waiting_stack_.resize(linux::read_remote_memory(sample.pid, record.sp, waiting_stack_));
  sample.stack_copy = waiting_stack_;
  sample.has_copy = sample.stands_still = true;
  add_wait(sample, record, sink);
}

// A stack that is counted was sent once since the last time, or the ring was full then.
bool EbpfSource::are_counts_empty() const {
  return stacks_since_swap_ == 0 && counters().of[ATYS_RING_FULL] == full_at_swap_;
}

void EbpfSource::collect_counts(SampleSink& sink) {
  if (plan_.with_waits) cut_waits(sink);
  if (are_counts_empty()) return;
  full_at_swap_ = counters().of[ATYS_RING_FULL];  // before: who finds it full from here on may count in the other map
  const auto full = object_.map(second_map_is_used_ ? "counts_b" : "counts_a");
  const auto empty = object_.map(second_map_is_used_ ? "counts_a" : "counts_b");
  const uint32_t slot = 0;
  const int empty_fd = empty.fd();
  // Returns when no program uses the old one any more.
  if (!object_.map("counts").update(&slot, &empty_fd).ok()) return;
  second_map_is_used_ = !second_map_is_used_;
  full.for_each(sizeof(atys_stack_key), sizeof(atys_stack_count), [&](const void* raw_key, const void* raw_count) {
    atys_stack_key key{};
    atys_stack_count count{};
    std::memcpy(&key, raw_key, sizeof(key));
    std::memcpy(&count, raw_count, sizeof(count));
    const auto known = slots_.find(key);
    const SampleSlot to = known != slots_.end()
                              ? known->second
                              : sink.on_lost_stack(static_cast<pid_t>(key.tgid), static_cast<pid_t>(key.tid));
    sink.add(to, count.samples, count.weight);
  });
  full.clear(sizeof(atys_stack_key));
  stacks_since_swap_ = 0;
}

void EbpfSource::add_wakeups(std::vector<pollfd>& fds) const {
  fds.push_back({ring_->epoll_fd(), POLLIN, 0});
  sideband_.add_wakeups(fds);
}

atys_counters EbpfSource::counters() const {
  atys_counters sum{};
  for (const atys_counters& slot : *counters_)
    for (size_t i = 0; i < ATYS_COUNTERS; ++i) sum.of[i] += __atomic_load_n(&slot.of[i], __ATOMIC_RELAXED);
  return sum;
}

// Looking at the end of every system call costs a program that does nothing but switch more than it is worth: most of the
// waits that matter have their stack already, and those that do not are counted.
void EbpfSource::spare_fast_switchers() {
  const uint64_t now = clock_ns(CLOCK_MONOTONIC);
  if (!takes_late_stacks_ || now - looked_at_waits_ns_ < kLookAtWaitsNs) return;
  const uint64_t waits = counters().of[ATYS_WAITS];
  const double per_second =
      static_cast<double>(waits - waits_before_) * 1e9 / static_cast<double>(now - looked_at_waits_ns_);
  if (looked_at_waits_ns_ != 0 && per_second > kManyWaitsPerSecond) {
    object_.detach("on_syscall_end");
    takes_late_stacks_ = false;
  }
  waits_before_ = waits;
  looked_at_waits_ns_ = now;
}

SourceTotals EbpfSource::totals() const {
  SourceTotals totals;
  const atys_counters all = counters();
  const auto sum = [&](uint32_t number) { return all.of[number]; };
  totals.samples = sum(ATYS_SAMPLES);
  totals.weight = sum(ATYS_WEIGHT);
  totals.kernel_ns = cost_.total_ns(object_);
  totals.losses["samples that found the ring full"] = sum(ATYS_RING_FULL);
  totals.losses["samples of stacks that found no free counter"] = sum(ATYS_COUNTERS_FULL);
  totals.losses["waits without a stack"] = sum(ATYS_CAPPED_WAITS);
  totals.is_limit_reached = sum(ATYS_OVER_LIMIT) > 0;
  if (plan_.with_waits) {
    totals.figures["waits"] = sum(ATYS_WAITS);
    totals.figures["waiting-ns"] = sum(ATYS_WAIT_NS);
    totals.figures["waiting-ns-above-cap"] = sum(ATYS_CAPPED_WAIT_NS);
  }
  if (plan_.event) totals.events = sum(ATYS_EVENTS);
  totals.lost_ends = sum(ATYS_LOST_ENDS);
  return totals;
}

}  // namespace atys::capture::native

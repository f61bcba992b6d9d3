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
constexpr size_t kMostCuts = 65536;
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
  stacks_.set_period(period);
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

// Samples first, then what the processes did: so everything that happened before a sample is known when it is looked at.
void EbpfSource::collect(SampleSink& sink) {
  process_records_.clear();
  ring_->drain([this](std::span<const std::byte> record) { stacks_.take(record); });
  sideband_.drain(process_records_);
  stacks_.hand_over(process_records_, sink);
  const size_t since_swap = stacks_.counted_stacks() - stacks_at_swap_;
  if (since_swap > (plan_.only_process != 0 ? kSwapWhereOne : kSwapAfterStacks)) collect_counts(sink);
  spare_fast_switchers();
  cost_.measure(object_);
}

// Threads that wait still: judged by the same rule as those that do not any more, and what goes on is a wait of its own. An
// older kernel has no such iterator, and their waits are told when they end.
void EbpfSource::cut_waits(SampleSink& sink) {
  const auto bytes = object_.run_iterator("on_cut", kMostCuts * sizeof(atys_cut));
  if (bytes.ok()) stacks_.cut_waits(*bytes, linux::read_remote_memory, sink);
  if (is_stopped_) stacks_.forget_waits();
}

// A stack that is counted was sent once since the last time, or the ring was full then.
bool EbpfSource::are_counts_empty() const {
  return stacks_.counted_stacks() == stacks_at_swap_ && counters().of[ATYS_RING_FULL] == full_at_swap_;
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
    stacks_.add_count(key, count, sink);
  });
  full.clear(sizeof(atys_stack_key));
  stacks_at_swap_ = stacks_.counted_stacks();
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
  if (stacks_.senseless() > 0) totals.losses["records of the sampler that make no sense"] = stacks_.senseless();
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

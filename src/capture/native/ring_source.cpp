// SPDX-License-Identifier: Apache-2.0
#include "capture/native/ring_source.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/clock.h"
#include "capture/native/sideband.h"
#include "linux/host.h"
#include "linux/process.h"

namespace atys::capture::native {

namespace {

constexpr double kSmallestChange = 0.2;      // of a period: new events cost something
constexpr size_t kMostRingBytes = 16 << 20;  // with copies of stacks, a second of samples at 999 Hz
constexpr size_t kLeastRingBytes = 4 << 20;  // where users may lock less, they get what they may
constexpr size_t kAllRingsBytes = 64 << 20;  // of many CPUs each has less
constexpr size_t kFewestPages = 8;
constexpr size_t kMostBatchBytes = 64 << 20;  // of copies that wait; beyond, the ring fills and the kernel counts the loss
constexpr size_t kRecordsBetweenDrains = 16;
constexpr uint32_t kStackBytes = 16384;        // what is deeper is read from the process
constexpr uint32_t kMostStackBytes = 65520;    // a record has to fit into 64 KB: the kernel leaves out what does not
constexpr size_t kTimersOfThreads = 2;         // each is a file for each CPU
constexpr uint64_t kKernelNsPerSample = 2500;  // for the budget: nobody tells us what the kernel spends on a sample

constexpr uint64_t kOwnSampleType = linux::kSampleTypeWithStack;

// The chain has marks where the kernel's part begins and where the user's does.
struct SplitChain {
  std::span<const uint64_t> kernel;
  std::span<const uint64_t> user;
};

SplitChain split_chain(std::span<const uint64_t> chain) {
  SplitChain split;
  std::span<const uint64_t>* part = nullptr;
  for (size_t i = 0; i < chain.size(); ++i) {
    const auto mark = static_cast<int64_t>(chain[i]);
    if (mark >= static_cast<int64_t>(PERF_CONTEXT_MAX) && mark < 0) {
      part = mark == static_cast<int64_t>(PERF_CONTEXT_KERNEL) ? &split.kernel
             : mark == static_cast<int64_t>(PERF_CONTEXT_USER) ? &split.user
                                                               : nullptr;
      continue;
    }
    if (part == nullptr) continue;
    *part = part->empty() ? chain.subspan(i, 1) : std::span<const uint64_t>(part->data(), part->size() + 1);
  }
  return split;
}

}  // namespace

Result<std::unique_ptr<SampleSource>> RingSource::open(const RingPlan& plan) {
  linux::NamedEvent event;
  if (plan.event.empty()) {
    event.attributes = linux::cpu_clock_attributes(plan.period);
    event.is_clock = true;
  } else {
    event = TRY(linux::find_event(plan.event));
  }
  std::unique_ptr<RingSource> source(new RingSource(plan, std::move(event)));
  source->stack_bytes_ = kStackBytes;
  if (source->event_.is_clock) source->timers_ = timers_per_cpu(linux::online_cpus().size());
  source->factors_ = draw_timer_factors(source->timers_, clock_ns(CLOCK_MONOTONIC));
  if (plan.whole_host) TRY(source->watch_all_processes());
  return std::unique_ptr<SampleSource>(std::move(source));
}

linux::PerfAttributes RingSource::attributes(size_t timer) const {
  linux::PerfAttributes attributes = event_.attributes;
  attributes.sample_type = kOwnSampleType;
  attributes.sample_regs_user = linux::wanted_register_mask();
  attributes.sample_stack_user = stack_bytes_;
  attributes.disabled = 1;
  attributes.exclude_idle = 1;
  attributes.watermark = walkers_.empty() ? 1 : 0;
  if (walkers_.empty())
    attributes.wakeup_watermark = 512 * 1024;
  else
    attributes.wakeup_events = 1;
  attributes.read_format = linux::kCountFormat;
  if (event_.is_clock) {
    attributes.sample_period = timer_periods(factors_, timers_, timer, plan_.period, linux::tick_ns()).period_ns;
  } else {
    attributes.freq = 1;
    attributes.sample_freq = std::max<uint64_t>(1, 1'000'000'000 / std::max<uint64_t>(1, plan_.period));
  }
  if (is_user_only_) attributes.exclude_kernel = attributes.exclude_hv = 1;
  if (!watches_all_) {
    attributes.inherit = 1;
    attributes.inherit_thread = plan_.with_children ? 0 : 1;
    attributes.enable_on_exec = plan_.waits_for_exec ? 1 : 0;
  }
  want_process_records(attributes);
  return attributes;
}

Result<> RingSource::open_event(linux::PerfPlace place) {
  for (size_t timer = 0; timer < timers_; ++timer) TRY(open_event(place, timer));
  return {};
}

Result<> RingSource::open_event(linux::PerfPlace place, size_t timer) {
  const std::string what = plan_.event.empty() ? "the CPU clock" : "the event " + plan_.event;
  auto fd = linux::open_perf_event(attributes(timer), place, what);
  if (!fd.ok() && fd.error().code == ErrorCode::PermissionDenied && !is_user_only_ && !watches_all_) {
    is_user_only_ = true;  // ordinary users see their own code, not the kernel's
    fd = linux::open_perf_event(attributes(timer), place, what);
  }
  UniqueFd event = TRY(std::move(fd));
  TRY(map_ring(place.cpu, event.get()));
  if (is_started_) TRY(linux::enable_perf_event(event.get()));
  events_.push_back(std::move(event));
  return {};
}

// One ring per CPU; further events of the CPU write into the same.
Result<> RingSource::map_ring(int cpu, int fd) {
  if (const auto ring = rings_.find(cpu); ring != rings_.end()) return ring->second.redirect(fd);
  const size_t bytes =
      std::clamp(std::bit_floor(kAllRingsBytes / linux::online_cpus().size()), kLeastRingBytes, kMostRingBytes);
  for (size_t pages = bytes / static_cast<size_t>(::sysconf(_SC_PAGESIZE));; pages /= 2) {
    auto ring = linux::PerfRing::map(fd, pages);
    if (!ring.ok() && pages > kFewestPages) continue;
    rings_.emplace(cpu, TRY(std::move(ring)));
    ring_fds_[cpu] = fd;
    return {};
  }
}

Result<> RingSource::watch_all_processes() {
  watches_all_ = true;
  for (const int cpu : linux::online_cpus()) TRY(open_event({.pid = -1, .cpu = cpu}));
  return {};
}

// One clock per CPU for everybody, where that is permitted: a timer of its own gives each new thread a whole period before
// its first sample, so that short ones would be missed. Who may look at his own processes only gets those timers. What is no
// clock is counted too, and for everybody it would be everybody's count.
Result<> RingSource::add_process(pid_t pid) {
  targets_.insert(pid);
  if (!event_.is_clock && !plan_.whole_host) return watch_threads(pid);
  if (watches_all_ || (events_.empty() && watch_all_processes().ok())) return {};
  if (watches_all_) {
    watches_all_ = false;
    events_.clear();
    rings_.clear();
    ring_fds_.clear();
  }
  timers_ = std::min(timers_, kTimersOfThreads);
  factors_ = draw_timer_factors(timers_, clock_ns(CLOCK_MONOTONIC));
  return watch_threads(pid);
}

Result<> RingSource::watch_threads(pid_t pid) {
  for (const pid_t thread : TRY(linux::list_threads(pid)))
    for (const int cpu : linux::online_cpus()) {
      auto opened = open_event({.pid = thread, .cpu = cpu});
      // A thread may end while we look; the process itself may not.
      if (!opened.ok() && (thread == pid || opened.error().code != ErrorCode::NotFound)) return opened;
    }
  return {};
}

Result<> RingSource::start() {
  is_started_ = true;
  if (plan_.waits_for_exec && !watches_all_) return {};
  for (const UniqueFd& event : events_) TRY(linux::enable_perf_event(event.get()));
  return {};
}

void RingSource::stop() {
  if (is_stopped_) return;
  is_stopped_ = true;
  for (const UniqueFd& event : events_) (void)linux::disable_perf_event(event.get());
}

// The kernel goes on telling the old period in samples after a change, and threads that inherited the event keep it indeed.
// So there are new events with the new period, and the old ones end; but for those that own the rings, which only stop.
Result<> RingSource::set_period(uint64_t period) {
  const auto before = static_cast<double>(plan_.period);
  if (!event_.is_clock || std::abs(static_cast<double>(period) - before) < kSmallestChange * before) return {};
  plan_.period = period;
  return open_again();
}

linux::PerfCount RingSource::count_now() const {
  linux::PerfCount sum;
  for (const UniqueFd& event : events_)
    if (const auto count = linux::read_perf_count(event.get()); count.ok()) sum += *count;
  return sum;
}

// Each thread has an event on each CPU, of which one counts at a time. Where there are fewer counters in the hardware than
// events, none does for some of the time: what they would have counted then is like the rest.
uint64_t RingSource::events() const {
  linux::PerfCount sum = counted_before_;
  sum += count_now();
  const double wanted_ns =
      static_cast<double>(sum.enabled_ns) / (watches_all_ ? 1.0 : static_cast<double>(linux::online_cpus().size()));
  const double had_ns = static_cast<double>(sum.running_ns);
  const double shared = event_.is_hardware && had_ns > 0 ? std::max(1.0, wanted_ns / had_ns) : 1;
  return static_cast<uint64_t>(std::llround(static_cast<double>(sum.count) * shared));
}

Result<> RingSource::open_again() {
  plan_.waits_for_exec = false;
  counted_before_ += count_now();
  std::vector<UniqueFd> old = std::exchange(events_, {});
  for (const UniqueFd& event : old) (void)linux::disable_perf_event(event.get());
  for (UniqueFd& event : old)
    if (std::any_of(ring_fds_.begin(), ring_fds_.end(), [&](const auto& ring) { return ring.second == event.get(); }))
      ring_owners_.push_back(std::move(event));
  old.clear();
  if (watches_all_) return watch_all_processes();
  for (const pid_t pid : std::vector<pid_t>(targets_.begin(), targets_.end())) (void)watch_threads(pid);  // some have ended
  return {};
}

// How much of a stack has to be copied.
bool RingSource::is_learning() const {
  constexpr uint64_t kEnoughSamples = 64;
  return stack_bytes_ < kMostStackBytes && totals_.samples < kEnoughSamples;
}

// Each sample has both the chain and the copy; the mode says which of them to believe.
void RingSource::set_stack_mode(pid_t pid, StackMode mode) {
  if (mode == StackMode::ByFramePointer)
    by_frame_pointer_.insert(pid);
  else
    by_frame_pointer_.erase(pid);
}

void RingSource::Batch::add(std::span<const std::byte> record) {
  offsets.push_back(bytes.size());
  bytes.insert(bytes.end(), record.begin(), record.end());
  bytes.resize((bytes.size() + 7) & ~size_t{7});
}

void RingSource::Batch::clear() {
  bytes.clear();
  offsets.clear();
}

void RingSource::drain_rings() {
  if (next_batch_.bytes.size() > kMostBatchBytes) return;
  for (auto& [cpu, ring] : rings_) ring.drain([this](std::span<const std::byte> record) { next_batch_.add(record); });
}

void RingSource::collect(SampleSink& sink) {
  refresh_interpreters(sink);
  if (wants_deeper_stacks_ && stack_bytes_ < kMostStackBytes && !is_stopped_) {
    stack_bytes_ = kMostStackBytes;
    (void)open_again();  // stacks stay as they are
  }
  do {  // once while there are more to come; to the last one when it is over
    drain_rings();
    std::swap(batch_, next_batch_);
    next_batch_.clear();
    hand_over_batch(sink);
  } while (is_stopped_ && !next_batch_.offsets.empty());
}

void RingSource::hand_over_batch(SampleSink& sink) {
  std::vector<linux::PerfRecord> records;
  records.reserve(batch_.offsets.size());
  for (const size_t offset : batch_.offsets) {
    perf_event_header header{};
    std::memcpy(&header, &batch_.bytes[offset], sizeof(header));
    if (auto record = linux::parse_perf_record({&batch_.bytes[offset], header.size}, kOwnSampleType))
      records.push_back(std::move(*record));
  }
  sort_by_time(records);
  size_t taken = 0;
  for (const linux::PerfRecord& record : records) {
    if (++taken % kRecordsBetweenDrains == 0) drain_rings();
    if (const auto* sample = std::get_if<linux::PerfSample>(&record.body)) {
      hand_over(*sample, sink);
      continue;
    }
    follow(record);
    sink.on_process_record(record);
  }
}

void RingSource::follow(const linux::PerfRecord& record) {
  if (const auto* lost = std::get_if<linux::LostRecord>(&record.body)) {
    totals_.losses["samples that found the ring full"] += lost->count;
  } else if (std::holds_alternative<linux::ThrottleRecord>(record.body)) {
    ++totals_.losses["times that the kernel throttled us"];
  } else if (const auto* fork = std::get_if<linux::ForkRecord>(&record.body)) {
    if (plan_.with_children && targets_.contains(fork->parent)) targets_.insert(fork->pid);
  } else if (const auto* comm = std::get_if<linux::CommRecord>(&record.body)) {
    comms_[comm->tid] = comm->comm;
  } else if (const auto* ended = std::get_if<linux::ExitRecord>(&record.body)) {
    comms_.erase(ended->tid);
  }
}

std::string_view RingSource::comm_of(pid_t pid, pid_t tid) {
  const auto [known, is_new] = comms_.try_emplace(tid);
  if (is_new)
    if (auto name = linux::thread_name(pid, tid); name.ok()) known->second = name.take();
  return known->second;
}

void RingSource::hand_over(const linux::PerfSample& sample, SampleSink& sink) {
  if (sample.pid <= 0 || (watches_all_ && !plan_.whole_host && !targets_.contains(sample.pid))) return;
  if (watches_all_ && sample.pid == ::getpid()) return;
  if (plan_.max_samples != 0 && totals_.samples >= plan_.max_samples) {
    totals_.is_limit_reached = true;
    return;
  }
  const SplitChain chain = split_chain(sample.chain);
  RawSample raw;
  raw.time_ns = sample.time_ns;
  raw.pid = sample.pid;
  raw.tid = sample.tid;
  raw.comm = comm_of(sample.pid, sample.tid);
  raw.kernel_frames = chain.kernel;
  if (sample.has_registers) raw.registers = sample.registers;
  raw.has_copy = sample.has_registers && !by_frame_pointer_.contains(sample.pid);
  if (raw.has_copy)
    raw.stack_copy = sample.stack;
  else
    raw.user_frames = chain.user;
#if defined(__x86_64__)
  if (!raw.has_copy && sample.stack.size() >= sizeof(uint64_t))
    std::memcpy(&raw.registers.lr, sample.stack.data(), sizeof(uint64_t));
#endif
  walk_beside(raw);
  const uint64_t weight = weight_of(sample);
  ++totals_.samples;
  if (event_.is_clock) totals_.weight += weight;
  sink.add(sink.on_stack(raw), 1, weight);
}

// From the first interpreter on each sample wakes us.
void RingSource::set_walker(pid_t pid, const atys_walker* walker) {
  if (walker == nullptr) {
    walkers_.erase(pid);
    return;
  }
  const bool is_first = walkers_.empty();
  walkers_[pid] = *walker;
  if (is_first && !events_.empty() && !is_stopped_) (void)open_again();
  if (walker->identity == ATYS_NATIVE_THREAD) return;
  linux::ProcessMemory memory(pid);
  if (const uint64_t state = follow_remote(memory, walker->holder, walker->holder_path)) set_thread_state(pid, state);
}

void RingSource::set_thread_state(pid_t tid, uint64_t address) { interpreted_[tid].state = address; }

void RingSource::refresh_interpreters(SampleSink& sink) {
  constexpr uint64_t kRefreshNs = 100'000'000;
  const uint64_t now = clock_ns(CLOCK_MONOTONIC);
  if (walkers_.empty() || now < next_refresh_ns_) return;
  next_refresh_ns_ = now + kRefreshNs;
  std::vector<pid_t> pids;
  for (const auto& [pid, walker] : walkers_) pids.push_back(pid);
  for (const pid_t pid : pids) sink.refresh_threads(pid, now);
}

// The thread has run on since. Where both stacks do not fit together any more, that is counted; what is older is not tried.
void RingSource::walk_beside(RawSample& raw) {
  constexpr uint64_t kLatestNs = 2'000'000;
  const auto walker = walkers_.find(raw.pid);
  if (walker == walkers_.end()) return;
  const auto thread = interpreted_.find(raw.tid);
  if (thread == interpreted_.end() || thread->second.state == 0) {
    raw.walk_flags = ATYS_WALKED | ATYS_UNKNOWN_STATE;
    return;
  }
  if (clock_ns(CLOCK_MONOTONIC) > raw.time_ns + kLatestNs) {
    ++totals_.losses["stacks of an interpreter not read in time"];
    return;
  }
  linux::ProcessMemory memory(raw.pid);
  const RemoteWalk outcome = thread->second.walker.walk(memory, walker->second, thread->second.state, walked_);
  if (outcome == RemoteWalk::Torn) ++totals_.losses["stacks of an interpreter that changed while they were read"];
  raw.walked = walked_;
  raw.walk_flags = static_cast<uint16_t>(ATYS_WALKED | (outcome == RemoteWalk::Cut ? ATYS_WALK_CUT : 0));
}

// Several timers tick side by side.
uint64_t RingSource::weight_of(const linux::PerfSample& sample) const {
  return event_.is_clock ? std::max<uint64_t>(1, sample.period / timers_) : sample.period;
}

void RingSource::add_wakeups(std::vector<pollfd>& fds) const {
  for (const auto& [cpu, fd] : ring_fds_) fds.push_back({fd, POLLIN, 0});
}

SourceTotals RingSource::totals() const {
  SourceTotals totals = totals_;
  totals.kernel_ns = totals_.samples * kKernelNsPerSample;
  totals.figures["kernel-frames"] = is_user_only_ ? 0 : 1;
  if (event_.is_clock) return totals;
  totals.events = events();
  return totals;
}

}  // namespace atys::capture::native

// SPDX-License-Identifier: Apache-2.0
#include "capture/native/ring_source.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/clock.h"
#include "capture/native/process_records.h"
#include "linux/host.h"
#include "linux/process.h"

namespace atys::capture::native {

namespace {

constexpr double kSmallestChange = 0.2;      // of a period: new events cost something
constexpr size_t kMostRingBytes = 16 << 20;  // with copies of stacks, a second of samples at 999 Hz
constexpr size_t kLeastRingBytes = 4 << 20;  // where users may lock less, they get what they may
constexpr size_t kAllRingsBytes = 64 << 20;  // of many CPUs each has less
constexpr size_t kFewestPages = 8;
constexpr uint32_t kStackBytes = 16384;        // what is deeper is read from the process
constexpr uint32_t kMostStackBytes = 65520;    // a record has to fit into 64 KB: the kernel leaves out what does not
constexpr size_t kTimersOfThreads = 2;         // each is a file for each CPU
constexpr uint64_t kKernelNsPerSample = 2500;  // for the budget: nobody tells us what the kernel spends on a sample

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
  source->use_timers(source->event_.is_clock ? timers_per_cpu(linux::online_cpus().size()) : 1);
  if (plan.whole_host) TRY(source->watch_all_processes());
  return std::unique_ptr<SampleSource>(std::move(source));
}

RingSource::RingSource(const RingPlan& plan, linux::NamedEvent event)
    : plan_(plan),
      event_(std::move(event)),
      stacks_({.whole_host = plan.whole_host,
               .with_children = plan.with_children,
               .is_clock = event_.is_clock,
               .max_samples = plan.max_samples,
               .own_pid = ::getpid()}) {}

void RingSource::use_timers(size_t timers) {
  timers_ = timers;
  factors_ = draw_timer_factors(timers, clock_ns(CLOCK_MONOTONIC));
  stacks_.set_timers(timers);
}

linux::PerfAttributes RingSource::attributes(size_t timer) const {
  linux::PerfAttributes attributes = event_.attributes;
  attributes.sample_type = linux::kSampleTypeWithStack;
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
  if (!stacks_.sees_all()) {
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
  if (!fd.ok() && fd.error().code == ErrorCode::PermissionDenied && !is_user_only_ && !stacks_.sees_all()) {
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
  stacks_.see_all(true);
  for (const int cpu : linux::online_cpus()) TRY(open_event({.pid = -1, .cpu = cpu}));
  return {};
}

// One clock per CPU for everybody, where that is permitted: a timer of its own gives each new thread a whole period before
// its first sample, so that short ones would be missed. Who may look at his own processes only gets those timers. What is no
// clock is counted too, and for everybody it would be everybody's count.
Result<> RingSource::add_process(pid_t pid) {
  stacks_.add_target(pid, clock_ns(CLOCK_MONOTONIC));
  if (!event_.is_clock && !plan_.whole_host) return watch_threads(pid);
  if (stacks_.sees_all() || (events_.empty() && watch_all_processes().ok())) return {};
  if (stacks_.sees_all()) {
    stacks_.see_all(false);
    events_.clear();
    rings_.clear();
    ring_fds_.clear();
  }
  use_timers(std::min(timers_, kTimersOfThreads));
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
  if (plan_.waits_for_exec && !stacks_.sees_all()) return {};
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
      static_cast<double>(sum.enabled_ns) / (stacks_.sees_all() ? 1.0 : static_cast<double>(linux::online_cpus().size()));
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
  if (stacks_.sees_all()) return watch_all_processes();
  for (const auto& [pid, since_ns] : stacks_.targets()) (void)watch_threads(pid);  // some have ended
  return {};
}

// How much of a stack has to be copied.
bool RingSource::is_learning() const {
  constexpr uint64_t kEnoughSamples = 64;
  return stack_bytes_ < kMostStackBytes && stacks_.totals().samples < kEnoughSamples;
}

void RingSource::take_more() {
  if (stacks_.is_full()) return;
  for (auto& [cpu, ring] : rings_) ring.drain([this](std::span<const std::byte> record) { stacks_.take(record); });
}

void RingSource::collect(SampleSink& sink) {
  refresh_interpreters(sink);
  if (wants_deeper_stacks_ && stack_bytes_ < kMostStackBytes && !is_stopped_) {
    stack_bytes_ = kMostStackBytes;
    (void)open_again();  // stacks stay as they are
  }
  do {  // once while there are more to come; to the last one when it is over
    take_more();
    stacks_.hand_over(sink, *this);
  } while (is_stopped_ && stacks_.has_taken());
}

std::string RingSource::thread_name(pid_t pid, pid_t tid) {
  auto name = linux::thread_name(pid, tid);
  return name.ok() ? name.take() : std::string();
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
void RingSource::add_walk(RawSample& raw) {
  constexpr uint64_t kLatestNs = 2'000'000;
  const auto walker = walkers_.find(raw.pid);
  if (walker == walkers_.end()) return;
  const auto thread = interpreted_.find(raw.tid);
  if (thread == interpreted_.end() || thread->second.state == 0) {
    raw.walk_flags = ATYS_WALKED | ATYS_UNKNOWN_STATE;
    return;
  }
  if (clock_ns(CLOCK_MONOTONIC) > raw.time_ns + kLatestNs) {
    stacks_.count_loss("stacks of an interpreter not read in time");
    return;
  }
  linux::ProcessMemory memory(raw.pid);
  const RemoteWalk outcome = thread->second.walker.walk(memory, walker->second, thread->second.state, walked_);
  if (outcome == RemoteWalk::Torn) stacks_.count_loss("stacks of an interpreter that changed while they were read");
  raw.walked = walked_;
  raw.walk_flags = static_cast<uint16_t>(ATYS_WALKED | (outcome == RemoteWalk::Cut ? ATYS_WALK_CUT : 0));
}

void RingSource::add_wakeups(std::vector<pollfd>& fds) const {
  for (const auto& [cpu, fd] : ring_fds_) fds.push_back({fd, POLLIN, 0});
}

SourceTotals RingSource::totals() const {
  SourceTotals totals = stacks_.totals();
  totals.kernel_ns = totals.samples * kKernelNsPerSample;
  totals.figures["kernel-frames"] = is_user_only_ ? 0 : 1;
  if (event_.is_clock) return totals;
  totals.events = events();
  return totals;
}

}  // namespace atys::capture::native

// SPDX-License-Identifier: Apache-2.0
#include "capture/native/look_source.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "base/difference.h"
#include "capture/native/frame_pointers.h"
#include "linux/host.h"
#include "linux/process.h"
#include "linux/thread_turns.h"

namespace atys::capture::native {

namespace {

constexpr uint64_t kRefreshNs = 100'000'000;
constexpr uint64_t kListingNs = 20'000'000;      // between two looks for new threads and processes
constexpr uint64_t kLongestNapNs = 100'000'000;  // a thread that does nothing is not looked at more often
constexpr uint64_t kPatienceNs = 50'000'000;     // until our library, if it is in a program, has told so
constexpr uint64_t kPatienceCpuNs = 20'000'000;
constexpr uint32_t kIdleNaps = 8;  // a thread that does nothing is looked at after twice as long each time, so often
constexpr pid_t kManyNumbers = 512;
constexpr size_t kFewThreads = 64;
constexpr size_t kAlwaysLookedAt = 16;  // threads of a process; of many, those that sleep are passed over for a while
constexpr uint64_t kIdleNs = 50'000'000;
constexpr size_t kMostWaiting = 8;        // threads for each CPU: one of them comes to it soon
constexpr uint64_t kDeafNs = 50'000'000;  // who has run for so long would have answered
constexpr uint64_t kAnswerNs = 400'000;   // until threads that run have answered
// The kernel adds up what a thread ran, when it is looked at from outside, with each tick only.
constexpr uint64_t kLagNs = 20'000'000;
constexpr const char* kNotStopped = "processes whose threads may not be stopped";
constexpr const char* kTorn = "stacks of an interpreter that changed while they were read";

// 0: it has ended.
uint64_t cpu_time_ns(pid_t pid) {
  const auto ran = linux::cpu_time_ns(pid);
  return ran.ok() ? *ran : 0;
}

// 0: it has ended.
uint64_t start_of(pid_t pid) {
  const auto ticks = linux::process_start_ticks(pid);
  return ticks.ok() ? *ticks : 0;
}

// The program could write the number of any process: those that share memory with us are ours.
bool has_our_memory(pid_t pid) {
  const auto ranges = linux::read_maps(pid);
  return ranges.ok() &&
         std::ranges::any_of(*ranges, [](const linux::MappedRange& range) { return range.path == preload::kMemoryPath; });
}

// What the program could have written there is no more than a wrong stack.
RawSample raw_of(pid_t pid, pid_t tid, const preload::Request& answer) {
  RawSample raw{.time_ns = answer.time_ns, .pid = pid, .tid = tid};
  const preload::Registers& registers = answer.registers;
  raw.registers = {.pc = registers.pc, .sp = registers.sp, .fp = registers.fp, .lr = registers.lr, .bx = registers.bx};
  raw.stack_copy = std::as_bytes(std::span(answer.stack).first(std::min(answer.copied, preload::kStackBytes)));
  raw.has_copy = true;
  raw.walked = std::span(answer.frames).first(std::min(answer.walked, preload::kMostWalked));
  raw.walk_flags = static_cast<uint16_t>(answer.walk_flags);
  raw.loaded = answer.loaded;
  return raw;
}

linux::PerfRecord exec_record(pid_t pid, uint64_t now) {
  linux::PerfRecord record{};
  record.time_ns = now;
  record.body = linux::CommRecord{.pid = pid, .tid = pid, .is_exec = true, .comm = {}};
  return record;
}

}  // namespace

LookSource::LookSource(LookPlan plan) : plan_(std::move(plan)), cpus_(linux::usable_cpus()) {
  if (plan_.space != nullptr) signals_.emplace(std::move(plan_.space));
}

Result<std::unique_ptr<SampleSource>> LookSource::open(LookPlan plan) {
  return std::unique_ptr<SampleSource>(new LookSource(std::move(plan)));
}

Result<> LookSource::start() {
  newest_ = linux::newest_number();
  return clock_.start(plan_.period_ns);
}

void LookSource::stop() {
  clock_.stop();
  stops_.release();
}

Result<> LookSource::set_period(uint64_t period) {
  plan_.period_ns = period;
  return clock_.set_period(period);
}

// What its threads have run before is not ours to tell.
Result<> LookSource::add_process(pid_t pid) {
  const auto [entry, is_new] = processes_.try_emplace(pid);
  if (!is_new) return {};
  Process& process = entry->second;
  process.began_ns = clock_ns(CLOCK_MONOTONIC);
  process.ran_ns = process.told_ns = cpu_time_ns(pid);
  list_threads(pid, process, process.began_ns);
  for (auto& [tid, thread] : process.threads) thread.told_ns = thread.ran_ns = thread.waits.at_begin().ran_ns;
  return {};
}

void LookSource::set_stack_mode(pid_t pid, StackMode mode) {
  if (const auto process = processes_.find(pid); process != processes_.end()) process->second.mode = mode;
}

void LookSource::set_walker(pid_t pid, const atys_walker* walker) {
  const auto found = processes_.find(pid);
  if (found == processes_.end()) return;
  Process& process = found->second;
  if (signals_) signals_->drop_walker(process.walker_number);
  process.walker_number = preload::kWalkers;
  process.has_walker = walker != nullptr;
  asked_for_ = pid;
  if (walker == nullptr) return;
  process.walker = *walker;
  if (signals_) process.walker_number = signals_->keep_walker(*walker);
  if (walker->identity == ATYS_NATIVE_THREAD) return;
  const auto memory = plan_.open_memory(pid);  // one state for the process: its first thread has it
  if (const uint64_t state = follow_remote(*memory, walker->holder, walker->holder_path)) set_thread_state(pid, state);
}

void LookSource::set_thread_state(pid_t tid, uint64_t address) {
  const auto known = process_of_.find(tid);
  const pid_t pid = known != process_of_.end() ? known->second : asked_for_;
  const auto process = processes_.find(pid);
  if (process != processes_.end()) add_thread(pid, process->second, tid).state = address;
}

LookedThread& LookSource::add_thread(pid_t pid, Process& process, pid_t tid) {
  const auto [entry, is_new] = process.threads.try_emplace(tid);
  Thread& thread = entry->second;
  if (!is_new) return thread;
  process_of_[tid] = pid;
  if (auto files = linux::ThreadFiles::open(pid, tid); files.ok()) thread.files.emplace(files.take());
  const auto figures = thread.files ? thread.files->figures() : std::nullopt;
  thread.waits.begin(figures.value_or(linux::ThreadFigures{}));
  if (plan_.with_waits) thread.waits.watch(pid, tid);
  return thread;
}

void LookSource::list_threads(pid_t pid, Process& process, uint64_t now) {
  process.next_listing_ns = now + (newest_ == 0 ? kListingNs : kRefreshNs);
  process.newest_listed = newest_;
  const auto listed = linux::list_threads(pid);
  if (!listed.ok()) return;
  for (const pid_t tid : *listed) add_thread(pid, process, tid);
}

void LookSource::collect(SampleSink& sink) {
  take_answers(sink);
  take_late_stops(sink);
  stops_.pass_on_events();
  repeat_if_nobody_counted();
  if (!clock_.is_time()) return;
  has_counted_ = false;
  look_at_all(clock_.woken_ns(), sink);
  may_repeat_ = std::ranges::any_of(runnable_, [](const Runnable& one) { return one.process->way != Way::Memory; });
  if (is_answer_due()) return clock_.wait_for_next(kAnswerNs);
  repeat_if_nobody_counted();
  clock_.wait_for_next();
}

// On a machine that is full of others those who are ready have no CPU at most looks. Where it took ten of them for a sample,
// a rate of 99 Hz would be one of 10.
void LookSource::repeat_if_nobody_counted() {
  if (std::exchange(may_repeat_, false) && !has_counted_) clock_.repeat();
}

// What a thread waited for a CPU is told of all its waits together, what an interpreter runs is known by name only as long
// as it is there, and a thread that stopped too late stands.
bool LookSource::is_answer_due() const {
  if (stops_.awaits_any()) return true;
  return std::ranges::any_of(runnable_, [](const Runnable& one) { return one.process->way == Way::Signal; });
}

void LookSource::look_at_all(uint64_t now, SampleSink& sink) {
  find_listeners(sink);
  find_children(now);
  const bool is_time_to_refresh = now >= next_refresh_ns_;
  if (is_time_to_refresh) next_refresh_ns_ = now + kRefreshNs;
  runnable_.clear();
  for (auto entry = processes_.begin(); entry != processes_.end();) {
    auto& [pid, process] = *entry;
    asked_for_ = pid;
    if (is_time_to_refresh && process.way != Way::Unknown) sink.refresh_threads(pid, now);
    const bool is_there = look_at(pid, process, now);
    if (!is_there) forget(pid, process);
    entry = is_there ? std::next(entry) : processes_.erase(entry);
  }
  sample_runnable(sink);
  for (auto& [pid, process] : processes_)
    if (plan_.with_waits) look_at_waits(pid, process, sink);
}

// Where more are ready than can run, most have no CPU: to ask them would tell us where they lost it, see was_on_cpu(). Those
// that have not come to one since the last look, and had none then, need not be looked at closer.
void LookSource::sample_runnable(SampleSink& sink) {
  const size_t running = std::max(runnable_.size(), difference_or_zero(linux::running_count(), 1));  // without us
  clock_.rove(runnable_.size() > cpus_);
  if (running <= cpus_) {
    for (const Runnable& one : runnable_) ask(one, sink);
    return;
  }
  const Runnable* host = nullptr;
  const int own_cpu = ::sched_getcpu();
  for (const Runnable& one : runnable_) {
    one.thread->turn_on_cpu = 0;
    if (is_overdue(*one.thread, plan_.period_ns) || (one.had_cpu && is_on_cpu(*one.thread)))
      ask(one, sink);
    else if (one.had_cpu && host == nullptr && linux::last_cpu(one.pid, one.tid) == own_cpu)
      host = &one;
  }
  // One may have made room for us. Stopped, it keeps us from others of its process until it has a CPU again: last, and not
  // where that would take long.
  const bool has_soon_one = running <= kMostWaiting * cpus_;
  if (host != nullptr && !clock_.is_late() && (has_soon_one || host->process->way == Way::Signal)) ask(*host, sink);
}

void LookSource::ask(const Runnable& one, SampleSink& sink) {
  if (is_full()) return;
  one.thread->turn_on_cpu = one.thread->seen_arrivals;
  sample(one.pid, *one.process, one.tid, *one.thread, sink);
}

// Our library tells of itself when a program begins, also of one whose parent is gone already.
void LookSource::find_listeners(SampleSink& sink) {
  if (!signals_) return;
  for (const pid_t pid : signals_->processes()) {
    const auto listener = signals_->listener(pid);
    const auto known = processes_.find(pid);
    if (!listener || (known != processes_.end() && known->second.life == listener->life)) continue;
    if (!has_our_memory(pid)) {
      signals_->forget(pid);
      continue;
    }
    Process& process = processes_[pid];
    if (process.began_ns == 0) process.began_ns = clock_ns(CLOCK_MONOTONIC);
    process.life = listener->life;
    process.has_walker = false;
    signals_->drop_walker(process.walker_number);
    process.walker_number = preload::kWalkers;
    process.mode = StackMode::ByCopy;
    signals_->drop_requests(pid, 0);
    sink.on_process_record(exec_record(pid, clock_ns(CLOCK_MONOTONIC)));
  }
  signals_->take_starts([&](pid_t pid, pid_t, const preload::Request& start) { on_start(pid, start, sink); });
}

// Of a program that is over already nobody knows where its code was.
void LookSource::on_start(pid_t pid, const preload::Request& start, SampleSink& sink) {
  const auto process = processes_.find(pid);
  if (process == processes_.end() || !plan_.with_cpu || is_full()) return;
  Thread& thread = add_thread(pid, process->second, pid);
  // What one that ran another program before had run until then is not of this one.
  if (thread.told_ns == 0) add_sample(process->second, thread, raw_of(pid, pid, start), start.cpu_ns, sink);
}

// Numbers rise: those that were given out since the last time may be children of ours, or threads. Where none was, nobody is
// listed.
void LookSource::find_children(uint64_t now) {
  if (now < next_listing_ns_) return;
  next_listing_ns_ = now + kListingNs;
  const pid_t before = newest_;
  newest_ = linux::newest_number();
  if (!plan_.with_children) return;
  std::vector<pid_t> numbers;
  if (newest_ == 0 || newest_ < before || newest_ - before > kManyNumbers) {
    numbers = linux::list_processes();
  } else {
    for (pid_t pid = before + 1; pid <= newest_; ++pid) numbers.push_back(pid);
  }
  for (const pid_t pid : numbers) {
    if (processes_.contains(pid)) continue;
    const auto parent = linux::parent_of(pid);
    if (!parent.ok() || !processes_.contains(*parent)) continue;
    processes_[pid].began_ns = now;
  }
}

// The library has some time to tell that it is there.
void LookSource::choose_way(pid_t pid, Process& process, uint64_t now) {
  if (signals_ && process.life != 0) {
    if (const auto listener = signals_->listener(pid); listener && listener->listens) {
      process.way = Way::Signal;
      return;
    }
  }
  const bool may_come =
      signals_ && process.life == 0 && now < process.began_ns + kPatienceNs && process.ran_ns < kPatienceCpuNs;
  process.way = may_come ? Way::Unknown : plan_.may_stop && process.may_stop ? Way::Stop : Way::Memory;
}

bool LookSource::look_at(pid_t pid, Process& process, uint64_t now) {
  const auto ran = linux::cpu_time_ns(pid);
  if (!ran.ok()) return false;
  const bool has_run = *ran > process.ran_ns;
  process.ran_ns = std::max(process.ran_ns, *ran);
  process.has_run |= has_run;
  if (has_run) process.ran_at_ns = now;
  // What runs is added up with the tick of the system: to wait for it would be to sample in step with that.
  const bool is_idle = process.threads.size() > kAlwaysLookedAt && now > process.ran_at_ns + kIdleNs;
  if (is_idle && process.next_listing_ns != 0) return true;
  choose_way(pid, process, now);
  if (process.way == Way::Unknown) return true;
  if (now >= process.next_listing_ns || newest_ != process.newest_listed) {
    const uint64_t started = start_of(pid);
    if (process.start_ticks == 0) process.start_ticks = started;
    if (process.start_ticks != started) return false;  // another has its number
    list_threads(pid, process, now);
  }
  for (auto thread = process.threads.begin(); thread != process.threads.end();) {
    const bool is_there = now < thread->second.next_look_ns || look_at(pid, process, thread->first, thread->second, now);
    if (!is_there) process_of_.erase(thread->first);
    if (!is_there && signals_) signals_->drop_requests(pid, thread->first);
    thread = is_there ? std::next(thread) : process.threads.erase(thread);
  }
  return true;
}

// What a thread ran is told of the stack that it is next seen running with: a thread that sleeps shows where it waits, not
// where it worked.
bool LookSource::look_at(pid_t pid, Process& process, pid_t tid, Thread& thread, uint64_t now) {
  const auto activity = thread.files ? thread.files->activity() : std::nullopt;
  if (!activity) return false;
  thread.idle_looks = activity->is_running ? 0 : std::min(thread.idle_looks + 1, kIdleNaps);
  thread.next_look_ns = 0;
  if (!activity->is_running && process.threads.size() > kAlwaysLookedAt)
    thread.next_look_ns = now + std::min(kLongestNapNs, plan_.period_ns << thread.idle_looks >> 1);
  if (!activity->is_running || !plan_.with_cpu) return true;
  const auto time = thread.files->figures();
  if (!time) return false;
  const bool is_new_turn = time->turns != std::exchange(thread.seen_arrivals, time->turns);
  thread.ran_ns = std::max(thread.ran_ns, time->ran_ns);
  if (!stops_.awaits(tid) && (!signals_ || !signals_->is_asked(tid))) {
    thread.delay_ns = time->ready_ns;
    thread.arrivals = time->turns;
    thread.asked_ns = clock_.is_late() ? 0 : clock_.woken_ns();
  }
  runnable_.push_back({pid, tid, &process, &thread, is_new_turn || time->turns == thread.turn_on_cpu});
  return true;
}

bool LookSource::is_full() {
  if (plan_.max_samples != 0 && totals_.samples >= plan_.max_samples) totals_.is_limit_reached = true;
  return totals_.is_limit_reached;
}

void LookSource::sample(pid_t pid, Process& process, pid_t tid, Thread& thread, SampleSink& sink) {
  if (process.mode == StackMode::Without) {
    const RawSample raw{.time_ns = clock_ns(CLOCK_MONOTONIC), .pid = pid, .tid = tid, .comm = thread.comm};
    return add_sample(process, thread, raw, thread.ran_ns, sink);
  }
  if (process.way == Way::Signal && !thread.is_deaf) return sample_by_signal(pid, process, tid, thread);
  const bool may_stop = process.way == Way::Stop || (thread.is_deaf && plan_.may_stop && process.may_stop);
  if (may_stop) return sample_by_stop(pid, process, tid, thread, sink);
  if (process.has_walker && thread.state != 0 && thread.ran_ns > thread.told_ns)
    sample_by_memory(pid, process, tid, thread, sink);
}

void LookSource::sample_by_signal(pid_t pid, Process& process, pid_t tid, Thread& thread) {
  const auto asked =
      signals_->ask(pid, tid, process.has_walker ? process.walker_number : preload::kWalkers, thread.state, stack_bytes_);
  if (asked == SignalWay::Asked::Sent) thread.asked_ran_ns = thread.ran_ns;
  if (asked != SignalWay::Asked::Waiting || thread.ran_ns < thread.asked_ran_ns + kDeafNs) return;
  thread.is_deaf = true;
  signals_->drop_requests(pid, tid);
}

void LookSource::sample_by_stop(pid_t pid, Process& process, pid_t tid, Thread& thread, SampleSink& sink) {
  RawSample raw{.time_ns = clock_ns(CLOCK_MONOTONIC), .pid = pid, .tid = tid};
  const StopWay::Outcome outcome = stops_.take(process, thread, plan_.period_ns, stack_bytes_, raw);
  if (outcome == StopWay::Outcome::Refused) ++totals_.losses[kNotStopped];
  if (outcome != StopWay::Outcome::Sampled) return;
  add_stopped(process, thread, raw, sink);
}

void LookSource::add_stopped(Process& process, Thread& thread, RawSample& raw, SampleSink& sink) {
  if (process.mode == StackMode::ByFramePointer) follow_frame_pointers(raw, chain_);
  add_sample(process, thread, raw, thread.ran_ns, sink);
}

void LookSource::sample_by_memory(pid_t pid, Process& process, pid_t tid, Thread& thread, SampleSink& sink) {
  const auto memory = plan_.open_memory(pid);
  const RemoteWalk outcome = thread.walker.walk(*memory, process.walker, thread.state, frames_);
  if (outcome == RemoteWalk::Torn) ++totals_.losses[kTorn];
  RawSample raw{.time_ns = clock_ns(CLOCK_MONOTONIC), .pid = pid, .tid = tid};
  raw.walked = frames_;
  raw.walk_flags = static_cast<uint16_t>(ATYS_WALKED | (outcome == RemoteWalk::Cut ? ATYS_WALK_CUT : 0));
  add_sample(process, thread, raw, thread.ran_ns, sink);
}

void LookSource::take_answers(SampleSink& sink) {
  if (!signals_) return;
  signals_->take_answers([&](pid_t pid, pid_t tid, const preload::Request& answer) { on_answer(pid, tid, answer, sink); });
}

void LookSource::take_late_stops(SampleSink& sink) {
  const auto find = [&](pid_t pid, pid_t tid) -> StopWay::Looked {
    const auto process = processes_.find(pid);
    if (process == processes_.end() || is_full()) return {};
    const auto thread = process->second.threads.find(tid);
    return thread == process->second.threads.end() ? StopWay::Looked{} : StopWay::Looked{&process->second, &thread->second};
  };
  RawSample raw;
  StopWay::Outcome outcome{};
  while (stops_.take_late(find, plan_.period_ns, raw, outcome)) {
    const StopWay::Looked looked = find(raw.pid, raw.tid);
    if (outcome != StopWay::Outcome::Sampled || looked.thread == nullptr) continue;
    add_stopped(*looked.process, *looked.thread, raw, sink);
  }
}

void LookSource::on_answer(pid_t pid, pid_t tid, const preload::Request& answer, SampleSink& sink) {
  const auto process = processes_.find(pid);
  if (process == processes_.end()) return;
  const auto thread = process->second.threads.find(tid);
  if (thread == process->second.threads.end()) return;
  RawSample raw = raw_of(pid, tid, answer);
  if (process->second.mode == StackMode::ByFramePointer) follow_frame_pointers(raw, chain_);
  if (was_on_cpu(thread->second, answer.switches, answer.time_ns) || is_overdue(thread->second, plan_.period_ns))
    add_sample(process->second, thread->second, raw, answer.cpu_ns, sink);
  else
    tell_ready(thread->second, raw, sink);
}

// `ran_ns`: what the thread had run when the sample was taken.
void LookSource::add_sample(Process& process, Thread& thread, const RawSample& raw, uint64_t ran_ns, SampleSink& sink) {
  see_name(process, raw.tid, thread);
  RawSample named = raw;
  named.comm = thread.comm;
  const bool is_empty = raw.registers.sp == 0 && raw.walked.empty() && process.mode != StackMode::Without;
  const SampleSlot slot = is_empty ? sink.on_lost_stack(raw.pid, raw.tid) : sink.on_stack(named);
  has_counted_ = true;
  const uint64_t weight = difference_or_zero(ran_ns, thread.told_ns);
  sink.add(slot, 1, weight);
  ++totals_.samples;
  thread.told_ns = std::max(thread.told_ns, ran_ns);
  tell(process, weight);
}

// Its file stays open where that does not take descriptors from the threads of a large process.
void LookSource::see_name(const Process& process, pid_t tid, Thread& thread) {
  if (thread.files && process.threads.size() <= kFewThreads) {
    if (auto name = thread.files->name()) thread.comm = std::move(*name);
    return;
  }
  if (auto name = linux::thread_name(process_of_[tid], tid); name.ok()) thread.comm = name.take();
}

// Threads that have run since wait elsewhere than before, or for something else. Where none has, nothing is new.
void LookSource::look_at_waits(pid_t pid, Process& process, SampleSink& sink) {
  if (std::exchange(process.has_run, false)) tell_waits(pid, process, sink);
}

void LookSource::tell_waits(pid_t pid, Process& process, SampleSink& sink) {
  for (auto& [tid, thread] : process.threads)
    if (thread.waits.is_watched() && thread.waits.tell(pid, tid, plan_.with_cpu, stack_, sink)) ++totals_.samples;
}

void LookSource::tell_ready(Thread& thread, RawSample raw, SampleSink& sink) {
  const auto time = plan_.with_waits ? thread.files->figures() : std::nullopt;
  raw.comm = thread.comm;
  if (time && thread.waits.tell_ready(*time, raw, sink)) ++totals_.samples;
}

void LookSource::tell(Process& process, uint64_t ns) {
  process.told_ns += ns;
  totals_.weight += ns;
}

void LookSource::forget(pid_t pid, Process& process) {
  for (const auto& [tid, thread] : process.threads) process_of_.erase(tid);
  if (!signals_) return;
  signals_->drop_requests(pid, 0);
  signals_->drop_walker(process.walker_number);
  signals_->forget(pid);
}

// What ran but was never seen running, where nobody else has an account of it.
void LookSource::collect_counts(SampleSink& sink) {
  take_answers(sink);
  for (auto& [pid, process] : processes_) {
    tell_waits(pid, process, sink);
    if (!plan_.with_cpu || process.way == Way::Signal || process.way == Way::Stop || process.mode == StackMode::Without)
      continue;
    const uint64_t ran = std::max(process.ran_ns, cpu_time_ns(pid));
    if (ran <= process.told_ns + kLagNs) continue;
    sink.add(sink.on_lost_stack(pid, pid), 1, ran - process.told_ns);
    tell(process, ran - process.told_ns);
  }
}

SourceTotals LookSource::totals() const {
  SourceTotals totals = totals_;
  stops_.add_figures(totals);
  if (!signals_) return totals;
  const SignalFigures figures = signals_->figures();
  totals.kernel_ns += figures.spent_ns;
  totals.figures["signals"] = figures.sent;
  totals.figures["calls-made-again"] = figures.restarted;
  if (figures.interrupted > 0) totals.losses["system calls that our signal interrupted"] = figures.interrupted;
  return totals;
}

}  // namespace atys::capture::native

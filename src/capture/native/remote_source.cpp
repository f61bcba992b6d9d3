// SPDX-License-Identifier: Apache-2.0
#include "capture/native/remote_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstring>
#include <optional>

#include "base/clock.h"
#include "linux/process.h"

namespace atys::capture::native {

namespace {

constexpr uint64_t kRefreshNs = 100'000'000;
constexpr double kSpread = 0.4;  // of the distance between two looks, around the one asked for
// The kernel adds up what a thread ran, when it is looked at from outside, with each tick only.
constexpr uint64_t kLagNs = 20'000'000;
constexpr const char* kTorn = "stacks of an interpreter that changed while they were read";

UniqueFd open_of_thread(pid_t pid, pid_t tid, const char* name) {
  return UniqueFd(::open(fmt::format("/proc/{}/task/{}/{}", pid, tid, name).c_str(), O_RDONLY | O_CLOEXEC));
}

// Nanoseconds on a CPU since the thread began: the first number of schedstat.
std::optional<uint64_t> run_time_ns(int fd) {
  std::array<char, 64> text{};
  const ssize_t size = ::pread(fd, text.data(), text.size(), 0);
  uint64_t ran = 0;
  if (size <= 0 || std::from_chars(text.data(), text.data() + size, ran).ec != std::errc()) return std::nullopt;
  return ran;
}

// 0: it has ended.
uint64_t cpu_time_ns(pid_t pid) {
  const auto ran = linux::cpu_time_ns(pid);
  return ran.ok() ? *ran : 0;
}

bool is_running(int fd) {
  constexpr std::string_view kRunning = "running";
  std::array<char, 8> text{};
  return ::pread(fd, text.data(), kRunning.size(), 0) == static_cast<ssize_t>(kRunning.size()) &&
         std::memcmp(text.data(), kRunning.data(), kRunning.size()) == 0;
}

}  // namespace

Result<std::unique_ptr<SampleSource>> RemoteSource::open(const RemotePlan& plan) {
  return std::unique_ptr<SampleSource>(new RemoteSource(plan));
}

Result<> RemoteSource::start() {
  timer_.reset(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
  if (!timer_.is_open()) return fail(ErrorCode::ResourceExhausted, "no timer can be had", "");
  return set_period(plan_.period_ns);
}

Result<> RemoteSource::set_period(uint64_t period) {
  plan_.period_ns = period;
  next_ns_ = clock_ns(CLOCK_MONOTONIC);
  return timer_.is_open() ? set_timer() : Result<>();
}

// The next look, which is not at an even distance from this one: it would fall into step with whatever in the target takes
// as long. It is so far from where this one should have been, that looks are as many as were asked for.
Result<> RemoteSource::set_timer() {
  constexpr uint64_t kSecond = 1'000'000'000;
  const double distance = static_cast<double>(plan_.period_ns) * (1 - kSpread / 2 + kSpread * random_.uniform());
  const uint64_t now = clock_ns(CLOCK_MONOTONIC);
  next_ns_ = std::max(next_ns_ + static_cast<uint64_t>(distance), now + 1);
  const itimerspec when{.it_interval = {},
                        .it_value = {static_cast<time_t>(next_ns_ / kSecond), static_cast<long>(next_ns_ % kSecond)}};
  if (::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &when, nullptr) != 0)
    return fail(ErrorCode::InvalidInput, fmt::format("a timer of {} ns cannot be set", plan_.period_ns), "");
  return {};
}

Result<> RemoteSource::add_process(pid_t pid) {
  processes_.try_emplace(pid);
  return {};
}

void RemoteSource::set_walker(pid_t pid, const atys_walker* walker) {
  const auto process = processes_.find(pid);
  if (process == processes_.end()) return;
  if (!process->second.has_walker) process->second.told_ns = cpu_time_ns(pid);
  process->second.has_walker = walker != nullptr;
  asked_for_ = pid;
  if (walker == nullptr) return;
  process->second.walker = *walker;
  if (walker->identity == ATYS_NATIVE_THREAD) return;
  linux::ProcessMemory memory(pid);  // one state for the process: its first thread has it
  if (const uint64_t state = follow_remote(memory, walker->holder, walker->holder_path)) set_thread_state(pid, state);
}

void RemoteSource::set_thread_state(pid_t tid, uint64_t address) {
  const auto process = processes_.find(asked_for_);
  if (process == processes_.end()) return;
  Thread& thread = process->second.threads[tid];
  thread.state = address;
  if (thread.run_time.is_open()) return;
  thread.run_time = open_of_thread(asked_for_, tid, "schedstat");
  thread.activity = open_of_thread(asked_for_, tid, "syscall");
  thread.ran_ns = run_time_ns(thread.run_time.get()).value_or(0);
  if (auto name = linux::thread_name(asked_for_, tid); name.ok()) thread.comm = name.take();
}

void RemoteSource::add_wakeups(std::vector<pollfd>& fds) const {
  if (timer_.is_open()) fds.push_back({timer_.get(), POLLIN, 0});
}

void RemoteSource::collect(SampleSink& sink) {
  uint64_t ticks = 0;
  if (!timer_.is_open() || ::read(timer_.get(), &ticks, sizeof ticks) != sizeof ticks) return;
  (void)set_timer();
  const uint64_t now = clock_ns(CLOCK_MONOTONIC);
  const bool is_time_to_refresh = now >= next_refresh_ns_;
  if (is_time_to_refresh) next_refresh_ns_ = now + kRefreshNs;
  for (auto& [pid, process] : processes_) {
    asked_for_ = pid;
    if (is_time_to_refresh) sink.refresh_threads(pid, now);
    if (process.has_walker) look_at(pid, process, sink);
  }
}

void RemoteSource::look_at(pid_t pid, Process& process, SampleSink& sink) {
  for (auto thread = process.threads.begin(); thread != process.threads.end();)
    if (look_at(pid, process, thread->first, thread->second, sink))
      ++thread;
    else
      thread = process.threads.erase(thread);
}

// What a thread ran is told of the stack that it is next seen running with: a thread that sleeps shows where it waits, not
// where it worked.
bool RemoteSource::look_at(pid_t pid, Process& process, pid_t tid, Thread& thread, SampleSink& sink) {
  const auto ran = run_time_ns(thread.run_time.get());
  if (!ran) return false;
  thread.pending_ns += *ran - std::min(*ran, thread.ran_ns);
  thread.ran_ns = *ran;
  if (thread.pending_ns > 0 && is_running(thread.activity.get())) sample(pid, process, tid, thread, sink);
  return true;
}

void RemoteSource::sample(pid_t pid, Process& process, pid_t tid, Thread& thread, SampleSink& sink) {
  if (plan_.max_samples != 0 && totals_.samples >= plan_.max_samples) {
    totals_.is_limit_reached = true;
    return;
  }
  linux::ProcessMemory memory(pid);
  const RemoteWalk outcome = thread.walker.walk(memory, process.walker, thread.state, frames_);
  if (outcome == RemoteWalk::Torn) ++totals_.losses[kTorn];
  RawSample raw{.time_ns = clock_ns(CLOCK_MONOTONIC), .pid = pid, .tid = tid, .comm = thread.comm};
  raw.walked = frames_;
  raw.walk_flags = static_cast<uint16_t>(ATYS_WALKED | (outcome == RemoteWalk::Cut ? ATYS_WALK_CUT : 0));
  const SampleSlot slot = frames_.empty() ? sink.on_lost_stack(pid, tid) : sink.on_stack(raw);
  sink.add(slot, 1, thread.pending_ns);
  ++totals_.samples;
  told(process, thread.pending_ns);
  thread.pending_ns = 0;
}

void RemoteSource::told(Process& process, uint64_t ns) {
  process.told_ns += ns;
  totals_.weight += ns;
}

// What ran but was never seen running: by threads that are known, and by those that came and went between two looks or run
// no code of the language.
void RemoteSource::collect_counts(SampleSink& sink) {
  for (auto& [pid, process] : processes_) {
    for (auto& [tid, thread] : process.threads) {
      if (thread.pending_ns == 0) continue;
      sink.add(sink.on_lost_stack(pid, tid), 1, thread.pending_ns);
      told(process, thread.pending_ns);
      thread.pending_ns = 0;
    }
    const uint64_t ran = process.has_walker ? cpu_time_ns(pid) : 0;
    if (ran <= process.told_ns + kLagNs) continue;
    sink.add(sink.on_lost_stack(pid, pid), 1, ran - process.told_ns);
    told(process, ran - process.told_ns);
  }
}

}  // namespace atys::capture::native

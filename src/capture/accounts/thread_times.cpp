// SPDX-License-Identifier: Apache-2.0
#include "capture/accounts/thread_times.h"

#include <algorithm>
#include <ctime>
#include <string>

#include "base/clock.h"
#include "linux/proc_file.h"
#include "linux/process.h"
#include "linux/thread_account.h"

namespace atys::capture {

namespace {

constexpr size_t kMostEnded = 65536;

// Also where it has ended and nobody has taken note of it yet: its account is still there, and whole.
bool is_there(pid_t pid, uint64_t start_time_ticks) {
  const auto text = linux::read_proc_file("/proc/" + std::to_string(pid) + "/stat", 4096);
  if (!text.ok()) return false;
  const auto stat = linux::parse_stat(*text);
  return stat.ok() && stat->start_time_ticks == start_time_ticks;
}

uint64_t age_of(uint64_t began_boot_ns) {
  const uint64_t boot_ns = clock_ns(CLOCK_BOOTTIME);
  return boot_ns - std::min(boot_ns, began_boot_ns);
}

}  // namespace

ThreadTimes::ThreadTimes(pid_t pid) : pid_(pid) {
  if (const auto process = linux::read_process(pid); process.ok()) start_time_ticks_ = process->start_time_ticks;
}

ThreadTimes::Snapshot ThreadTimes::snapshot(uint64_t now_ns) const {
  Snapshot taken{.at_ns = now_ns, .cpu_ns = {}, .threads = {}};
  const auto threads = linux::list_threads(pid_);
  const auto cpu_ns = linux::cpu_time_ns(pid_);
  if (!threads.ok() || !cpu_ns.ok()) return taken;
  for (const pid_t tid : *threads)
    if (const auto used_ns = linux::thread_cpu_ns(pid_, tid); used_ns.ok()) taken.threads[tid] = *used_ns;
  // Asked afterwards: what was read may be another's of the same number.
  if (is_there(pid_, start_time_ticks_)) taken.cpu_ns = *cpu_ns;
  return taken;
}

void ThreadTimes::begin(uint64_t now_ns) {
  begin_ = last_ = snapshot(now_ns);
  ended_.clear();
  if (first_ns_ == 0) first_ns_ = now_ns;
}

void ThreadTimes::begin_late(uint64_t since_ns, uint64_t now_ns) {
  const auto began_ns = linux::thread_began_boot_ns(pid_, pid_);
  if (!began_ns.ok() || now_ns - age_of(*began_ns) <= since_ns) return begin(now_ns);
  begin_ = last_ = {.at_ns = since_ns, .cpu_ns = 0, .threads = {}};
  ended_.clear();
  if (first_ns_ == 0) first_ns_ = since_ns;
}

void ThreadTimes::begin_where_looked() {
  begin_ = last_;
  std::erase_if(ended_, [this](const native::EndedThread& thread) { return thread.ended_ns <= begin_.at_ns; });
}

void ThreadTimes::note_end(const native::EndedThread& thread) {
  if (has_begun() && thread.ended_ns > begin_.at_ns && ended_.size() < kMostEnded) ended_.push_back(thread);
}

ProcessTimes ThreadTimes::look(uint64_t now_ns) {
  ProcessTimes times;
  if (!has_begun() || now_ns <= begin_.at_ns) return times;
  last_ = snapshot(now_ns);
  times.lasted_ns = now_ns - begin_.at_ns;
  times.since_first_ns = now_ns - first_ns_;
  if (last_.cpu_ns) {
    const uint64_t before_ns = begin_.cpu_ns.value_or(0);
    times.cpu_ns = *last_.cpu_ns - std::min(*last_.cpu_ns, before_ns);
  }
  const auto add = [&](pid_t tid, const ThreadTime& time) {
    ThreadTime& sum = times.threads[tid];  // a number may have been several threads', one after the other
    sum.cpu_ns += time.cpu_ns;
    sum.there_ns = std::min(sum.there_ns + time.there_ns, times.lasted_ns);
  };
  std::map<pid_t, uint64_t> living = last_.cpu_ns ? last_.threads : std::map<pid_t, uint64_t>();
  for (const native::EndedThread& thread : ended_) {
    if (thread.ended_ns > now_ns) continue;
    add(thread.tid, time_of(thread));
    // One that has ended is seen for as long as nobody has taken note of it: it is told once.
    if (const auto seen = living.find(thread.tid); seen != living.end() && seen->second >= thread.cpu_ns) living.erase(seen);
  }
  for (const auto& [tid, cpu_ns] : living) add(tid, time_of(tid, cpu_ns));
  return times;
}

ThreadTime ThreadTimes::time_of(const native::EndedThread& thread) const {
  const uint64_t from_ns = std::max(begin_.at_ns, thread.began_ns);
  const auto before = begin_.threads.find(thread.tid);
  const bool was_there = thread.began_ns < begin_.at_ns && before != begin_.threads.end() && before->second <= thread.cpu_ns;
  return {thread.cpu_ns - (was_there ? before->second : 0), thread.ended_ns - std::min(thread.ended_ns, from_ns)};
}

ThreadTime ThreadTimes::time_of(pid_t tid, uint64_t cpu_ns) const {
  const uint64_t lasted_ns = last_.at_ns - begin_.at_ns;
  const auto before = begin_.threads.find(tid);
  const bool is_of_another = std::ranges::count(ended_, tid, &native::EndedThread::tid) > 0;
  if (before != begin_.threads.end() && before->second <= cpu_ns && !is_of_another)
    return {cpu_ns - before->second, lasted_ns};
  const auto began_ns = linux::thread_began_boot_ns(pid_, tid);
  return {cpu_ns, std::min(began_ns.ok() ? age_of(*began_ns) : 0, lasted_ns)};
}

}  // namespace atys::capture

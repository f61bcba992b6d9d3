// SPDX-License-Identifier: Apache-2.0
#include "capture/accounts/cpu_accounts.h"

#include <algorithm>

#include "linux/process.h"
#include "linux/thread_account.h"

namespace atys::capture {

namespace {

constexpr size_t kMostProcesses = 65536;

uint64_t threads_ns(pid_t pid) {
  uint64_t sum = 0;
  if (const auto threads = linux::list_threads(pid); threads.ok())
    for (const pid_t tid : *threads)
      if (const auto used = linux::thread_cpu_ns(pid, tid); used.ok()) sum += *used;
  return sum;
}

uint64_t start_time_of(pid_t pid) {
  const auto process = linux::read_process(pid);
  return process.ok() ? process->start_time_ticks : 0;
}

}  // namespace

void CpuAccounts::add(pid_t pid) {
  if (accounts_.size() >= kMostProcesses) return;
  const auto clock = linux::cpu_time_ns(pid);
  if (!clock.ok()) return;
  accounts_[pid] = {.clock_ns = *clock, .threads_ns = threads_ns(pid), .start_time = start_time_of(pid)};
}

void CpuAccounts::add_new(pid_t pid) {
  if (accounts_.size() >= kMostProcesses) return;
  const auto [account, is_new] = accounts_.try_emplace(pid);
  if (is_new) account->second.start_time = start_time_of(pid);
}

// One that began and ended before it was ever looked at is told by the ends of its threads alone.
void CpuAccounts::note_end(const native::EndedThread& thread) {
  if (accounts_.size() >= kMostProcesses && !knows(thread.pid)) return;
  Account& account = accounts_[thread.pid];
  account.ended_ns += thread.cpu_ns;
  account.has_ended_threads = true;
}

std::map<pid_t, uint64_t> CpuAccounts::look() {
  std::map<pid_t, uint64_t> used;
  for (auto& [pid, account] : accounts_) {
    const auto clock = linux::cpu_time_ns(pid);
    const bool is_there = account.start_time != 0 && linux::is_alive(pid, account.start_time);
    if (is_there && clock.ok())
      account.looked_ns = *clock - std::min(*clock, account.clock_ns);
    else if (account.has_ended_threads)
      account.looked_ns = account.ended_ns - std::min(account.ended_ns, account.threads_ns);
    else
      continue;
    used[pid] = account.looked_ns - std::min(account.looked_ns, account.told_ns);
  }
  return used;
}

std::set<pid_t> CpuAccounts::alive() const {
  std::set<pid_t> pids;
  for (const auto& [pid, account] : accounts_)
    if (linux::is_alive(pid, account.start_time)) pids.insert(pid);
  return pids;
}

void CpuAccounts::next_window() {
  for (auto& [pid, account] : accounts_) account.told_ns = account.looked_ns;
  std::erase_if(accounts_, [](const auto& one) {
    return one.second.has_ended_threads && !linux::is_alive(one.first, one.second.start_time);
  });
}

}  // namespace atys::capture

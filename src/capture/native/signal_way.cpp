// SPDX-License-Identifier: Apache-2.0
#include "capture/native/signal_way.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

namespace atys::capture::native {

namespace {

// What the Linux kernel takes from the thread to hand a signal over and to come back, beside what the handler does.
constexpr uint64_t kDeliveryNs = 2500;

long send_signal(pid_t pid, pid_t tid, int signal, uint64_t value) {
  siginfo_t info{};
  info.si_signo = signal;
  info.si_code = SI_QUEUE;
  info.si_pid = ::getpid();
  info.si_uid = ::getuid();
  info.si_value.sival_ptr = reinterpret_cast<void*>(value);
  return ::syscall(SYS_rt_tgsigqueueinfo, pid, tid, signal, &info);
}

}  // namespace

preload::Process* SignalWay::find(pid_t pid) const {
  for (preload::Process& process : space_->shared().processes)
    if (__atomic_load_n(&process.pid, __ATOMIC_ACQUIRE) == static_cast<uint32_t>(pid)) return &process;
  return nullptr;
}

std::optional<Listener> SignalWay::listener(pid_t pid) const {
  const preload::Process* process = find(pid);
  if (process == nullptr) return std::nullopt;
  const uint32_t life = __atomic_load_n(&process->life, __ATOMIC_ACQUIRE);
  if (life == 0) return std::nullopt;
  return Listener{life, __atomic_load_n(&process->signal, __ATOMIC_ACQUIRE) != 0};
}

std::set<pid_t> SignalWay::processes() const {
  std::set<pid_t> pids;
  for (const preload::Process& process : space_->shared().processes)
    if (const uint32_t pid = __atomic_load_n(&process.pid, __ATOMIC_ACQUIRE); pid != 0) pids.insert(static_cast<pid_t>(pid));
  return pids;
}

void SignalWay::count(const preload::Process& process) {
  figures_.restarted += process.restarted;
  figures_.interrupted += process.left;
}

void SignalWay::forget(pid_t pid) {
  preload::Process* process = find(pid);
  if (process == nullptr) return;
  count(*process);
  process->restarted = process->left = 0;
  // The next process with this place listens to nothing yet: what the last one listened to may end it.
  __atomic_store_n(&process->life, 0u, __ATOMIC_SEQ_CST);
  __atomic_store_n(&process->signal, 0u, __ATOMIC_SEQ_CST);
  __atomic_store_n(&process->pid, 0u, __ATOMIC_RELEASE);
}

uint32_t SignalWay::keep_walker(const atys_walker& walker) {
  const auto free = std::ranges::find(is_walker_used_, false);
  const auto number = static_cast<uint32_t>(free - is_walker_used_.begin());
  if (number == preload::kWalkers) return number;
  *free = true;
  space_->shared().walkers[number] = walker;
  return number;
}

void SignalWay::drop_walker(uint32_t number) {
  if (number < preload::kWalkers) is_walker_used_[number] = false;
}

bool SignalWay::is_asked(pid_t tid) const { return std::ranges::find(askers_, tid, &Asker::tid) != askers_.end(); }

SignalWay::Asked SignalWay::ask(pid_t pid, pid_t tid, uint32_t walker, uint64_t state, uint32_t stack_bytes) {
  if (is_asked(tid)) return Asked::Waiting;
  const auto free = std::ranges::find(askers_, 0, &Asker::pid);
  if (free == askers_.end()) return Asked::Full;
  preload::Process* process = find(pid);
  if (process == nullptr) return Asked::Gone;
  const uint32_t life = __atomic_load_n(&process->life, __ATOMIC_ACQUIRE);
  const auto number = static_cast<uint64_t>(free - askers_.begin());
  preload::Request& request = space_->shared().requests[number];
  request.walker = walker;
  request.state = state;
  request.stack_bytes = stack_bytes;
  __atomic_store_n(&request.stage, preload::kAsked, __ATOMIC_RELEASE);
  // Whoever takes the signal away waits until as many were handled as were sent.
  __atomic_fetch_add(&process->sent, 1, __ATOMIC_SEQ_CST);
  const uint32_t signal = __atomic_load_n(&process->signal, __ATOMIC_SEQ_CST);
  const bool is_deaf = signal == 0 || signal > 64;
  if (is_deaf || send_signal(pid, tid, static_cast<int>(signal), (preload::kMagic & ~0xffull) | number) != 0) {
    __atomic_fetch_sub(&process->sent, 1, __ATOMIC_SEQ_CST);
    __atomic_store_n(&request.stage, preload::kFree, __ATOMIC_RELEASE);
    return is_deaf ? Asked::Deaf : Asked::Gone;
  }
  *free = {pid, tid, life};
  ++figures_.sent;
  return Asked::Sent;
}

void SignalWay::take_answers(const OnAnswer& on_answer) {
  for (size_t i = 0; i < askers_.size(); ++i) {
    preload::Request& request = space_->shared().requests[i];
    if (askers_[i].pid == 0 || __atomic_load_n(&request.stage, __ATOMIC_ACQUIRE) != preload::kDone) continue;
    figures_.spent_ns += kDeliveryNs + std::min<uint64_t>(request.spent_ns, 1'000'000);
    on_answer(askers_[i].pid, askers_[i].tid, request);
    __atomic_store_n(&request.stage, preload::kFree, __ATOMIC_RELEASE);
    askers_[i] = {};
  }
}

void SignalWay::take_starts(const OnAnswer& on_start) {
  for (preload::Request& start : space_->shared().starts) {
    if (__atomic_load_n(&start.stage, __ATOMIC_ACQUIRE) != preload::kDone) continue;
    const auto pid = static_cast<pid_t>(start.state);
    on_start(pid, pid, start);
    __atomic_store_n(&start.stage, preload::kFree, __ATOMIC_RELEASE);
  }
}

void SignalWay::drop_requests(pid_t pid, pid_t tid) {
  for (size_t i = 0; i < askers_.size(); ++i) {
    if (askers_[i].pid != pid || (tid != 0 && askers_[i].tid != tid)) continue;
    const uint32_t stage = __atomic_exchange_n(&space_->shared().requests[i].stage, preload::kFree, __ATOMIC_ACQ_REL);
    // A thread that ended before its signal came does not count it, and whoever waits for that would wait for nothing.
    preload::Process* process = find(pid);
    if (tid != 0 && stage == preload::kAsked && process != nullptr &&
        __atomic_load_n(&process->life, __ATOMIC_ACQUIRE) == askers_[i].life)
      __atomic_fetch_sub(&process->sent, 1, __ATOMIC_SEQ_CST);
    askers_[i] = {};
  }
}

SignalFigures SignalWay::figures() const {
  SignalFigures figures = figures_;
  for (const preload::Process& process : space_->shared().processes) {
    figures.restarted += process.restarted;
    figures.interrupted += process.left;
  }
  return figures;
}

}  // namespace atys::capture::native

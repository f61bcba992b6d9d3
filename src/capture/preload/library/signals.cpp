// SPDX-License-Identifier: Apache-2.0
// The program's own dealings with signals. It must not notice that one of them is ours: who wants that one gets it, and we
// take another; who blocks or waits for all of them means those that are his.
#include <errno.h>

#include "capture/preload/library/library.h"

extern "C" int* __errno_location() __attribute__((weak));

namespace atys::preload {

namespace {

using SigactionFunction = int(int, const struct sigaction*, struct sigaction*);

bool is_handler(void* handler) { return reinterpret_cast<uintptr_t>(handler) > 1; }  // neither SIG_DFL nor SIG_IGN

// A C library's set begins with the kernel's.
bool without_ours(const sigset_t* set, sigset_t& copy) {
  if (set == nullptr || library.signal == 0) return false;
  copy_bytes(&copy, set, sizeof(SignalSet));
  SignalSet bits = 0;
  copy_bytes(&bits, set, sizeof bits);
  if ((bits & bit_of(library.signal)) == 0) return false;
  bits &= ~bit_of(library.signal);
  copy_bytes(&copy, set, sizeof copy);
  copy_bytes(&copy, &bits, sizeof bits);
  return true;
}

// The program lets our signal be ignored or not: it is told what it would have been told.
int pretend(const struct sigaction* action, struct sigaction* before) {
  if (before != nullptr) {
    __builtin_memset(before, 0, sizeof *before);
    before->sa_handler = reinterpret_cast<void (*)(int)>(library.pretended.handler);
  }
  if (action != nullptr) library.pretended.handler = reinterpret_cast<void*>(action->sa_handler);
  return 0;
}

int next_signal() {
  for (int signal = kLastSignal; signal >= kLowestSignal; --signal) {
    KernelAction now{};
    if ((library.of_program & bit_of(signal)) != 0 || set_action(signal, nullptr, &now) != 0) continue;
    if (!is_handler(now.handler)) return signal;
  }
  return 0;
}

}  // namespace

void pause_signals() {
  if (library.process == nullptr || own_process() != library.pid) return;
  Process& process = *library.process;
  __atomic_store_n(&process.signal, 0u, __ATOMIC_SEQ_CST);
  constexpr int kPatience = 1000;
  for (int i = 0; i < kPatience; ++i) {
    if (__atomic_load_n(&process.sent, __ATOMIC_SEQ_CST) == __atomic_load_n(&process.handled, __ATOMIC_SEQ_CST)) return;
    call(SYS_sched_yield);
  }
}

void resume_signals() {
  if (library.process == nullptr || own_process() != library.pid) return;
  __atomic_store_n(&library.process->signal, static_cast<uint32_t>(library.signal), __ATOMIC_SEQ_CST);
}

void give_away(int signal) {
  pause_signals();
  library.of_program |= bit_of(signal);
  KernelAction as_it_was = library.pretended;
  set_action(signal, &as_it_was, nullptr);
  library.signal = 0;
  const int other = next_signal();
  if (other != 0) listen_to(other);
}

}  // namespace atys::preload

using namespace atys::preload;

extern "C" {

__attribute__((visibility("default"))) int sigaction(int signal, const struct sigaction* action, struct sigaction* before) {
  auto* real = next<SigactionFunction>("sigaction");
  if (real == nullptr) {
    if (__errno_location != nullptr) *__errno_location() = ENOSYS;
    return -1;
  }
  if (signal != library.signal || library.signal == 0) return real(signal, action, before);
  if (action == nullptr || !is_handler(reinterpret_cast<void*>(action->sa_handler))) return pretend(action, before);
  give_away(signal);
  return real(signal, action, before);
}

__attribute__((visibility("default"))) sighandler_t signal(int number, sighandler_t handler) {
  if (number == library.signal && library.signal != 0) {
    auto* const before = reinterpret_cast<sighandler_t>(library.pretended.handler);
    if (!is_handler(reinterpret_cast<void*>(handler))) {
      library.pretended.handler = reinterpret_cast<void*>(handler);
      return before;
    }
    give_away(number);
  }
  auto* real = next<sighandler_t(int, sighandler_t)>("signal");
  return real != nullptr ? real(number, handler) : SIG_ERR;
}

__attribute__((visibility("default"))) int pthread_sigmask(int how, const sigset_t* set, sigset_t* before) {
  sigset_t copy;
  auto* real = next<int(int, const sigset_t*, sigset_t*)>("pthread_sigmask");
  if (real == nullptr) return ENOSYS;
  return real(how, how != SIG_UNBLOCK && without_ours(set, copy) ? &copy : set, before);
}

__attribute__((visibility("default"))) int sigprocmask(int how, const sigset_t* set, sigset_t* before) {
  sigset_t copy;
  auto* real = next<int(int, const sigset_t*, sigset_t*)>("sigprocmask");
  if (real == nullptr) return -1;
  return real(how, how != SIG_UNBLOCK && without_ours(set, copy) ? &copy : set, before);
}

__attribute__((visibility("default"))) int sigwait(const sigset_t* set, int* number) {
  sigset_t copy;
  auto* real = next<int(const sigset_t*, int*)>("sigwait");
  return real != nullptr ? real(without_ours(set, copy) ? &copy : set, number) : ENOSYS;
}

__attribute__((visibility("default"))) int sigwaitinfo(const sigset_t* set, siginfo_t* info) {
  sigset_t copy;
  auto* real = next<int(const sigset_t*, siginfo_t*)>("sigwaitinfo");
  return real != nullptr ? real(without_ours(set, copy) ? &copy : set, info) : -1;
}

__attribute__((visibility("default"))) int sigtimedwait(const sigset_t* set, siginfo_t* info, const timespec* timeout) {
  sigset_t copy;
  auto* real = next<int(const sigset_t*, siginfo_t*, const timespec*)>("sigtimedwait");
  return real != nullptr ? real(without_ours(set, copy) ? &copy : set, info, timeout) : -1;
}

__attribute__((visibility("default"))) int signalfd(int fd, const sigset_t* set, int flags) {
  sigset_t copy;
  auto* real = next<int(int, const sigset_t*, int)>("signalfd");
  return real != nullptr ? real(fd, without_ours(set, copy) ? &copy : set, flags) : -1;
}
}

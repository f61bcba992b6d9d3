// SPDX-License-Identifier: Apache-2.0
// The program's own dealings with signals. It must not notice that one of them is ours: who wants that one gets it, and we
// take another; who blocks or waits for all of them means those that are his.
#include <errno.h>

#include "capture/preload/library/library.h"

extern "C" int* __errno_location() __attribute__((weak));

namespace atys::preload {

thread_local bool is_believed_blocked __attribute__((tls_model("initial-exec")));

namespace {

using SigactionFunction = int(int, const struct sigaction*, struct sigaction*);

bool is_handler(void* handler) { return reinterpret_cast<uintptr_t>(handler) > 1; }  // neither SIG_DFL nor SIG_IGN

SignalSet bits_of(const sigset_t& set) {
  SignalSet bits = 0;
  copy_bytes(&bits, &set, sizeof bits);  // a C library's set begins with the kernel's
  return bits;
}

// Who names some signals means them, and who names all means those that are his.
bool is_meant(SignalSet bits) {
  constexpr int kSome = 16;
  int count = 0;
  for (; bits != 0; bits &= bits - 1) ++count;
  return count <= kSome;
}

// A child that shares our memory until it executes something does as it likes: what it changes is its own, and it gets no
// signals from us.
bool is_own_memory() { return own_process() == library.pid; }

bool has_ours(const sigset_t* set) {
  return set != nullptr && library.signal != 0 && (bits_of(*set) & bit_of(library.signal)) != 0;
}

// True: `copy` is to be taken in the place of `set`.
bool without_ours(const sigset_t* set, sigset_t& copy) {
  if (has_ours(set) && is_meant(bits_of(*set)) && is_own_memory()) give_away(library.signal);
  if (!has_ours(set)) return false;
  const SignalSet bits = bits_of(*set) & ~bit_of(library.signal);
  copy_bytes(&copy, set, sizeof copy);
  copy_bytes(&copy, &bits, sizeof bits);
  return true;
}

// The thread's mask as it is for the program: our signal is never blocked, but it may believe so.
template <typename Real>
int change_mask(Real* real, int how, const sigset_t* set, sigset_t* before) {
  sigset_t copy;
  const bool was_blocked = is_believed_blocked;
  const bool is_changed = how != SIG_UNBLOCK && without_ours(set, copy);
  const bool is_named = has_ours(set);
  const int result = real(how, is_changed ? &copy : set, before);
  if (result != 0) return result;
  if (before != nullptr && was_blocked && library.signal != 0) {
    const SignalSet bits = bits_of(*before) | bit_of(library.signal);
    copy_bytes(before, &bits, sizeof bits);
  }
  const bool is_blocked = is_named || how == SIG_SETMASK ? is_named && how != SIG_UNBLOCK : was_blocked;
  if (set != nullptr && is_blocked != is_believed_blocked && is_own_memory()) is_believed_blocked = is_blocked;
  return 0;
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

// A signal that is under way to a thread without a CPU comes when that gets one.
void pause_signals() {
  if (library.process == nullptr || !is_own_memory()) return;
  Process& process = *library.process;
  __atomic_store_n(&process.signal, 0u, __ATOMIC_SEQ_CST);
  constexpr uint64_t kPatienceNs = 200'000'000;
  constexpr int kYields = 100;
  const uint64_t end = clock_now(CLOCK_MONOTONIC) + kPatienceNs;
  for (int i = 0; clock_now(CLOCK_MONOTONIC) < end; ++i) {
    if (__atomic_load_n(&process.sent, __ATOMIC_SEQ_CST) == __atomic_load_n(&process.handled, __ATOMIC_SEQ_CST)) return;
    const timespec moment{.tv_sec = 0, .tv_nsec = 50'000};
    if (i < kYields)
      call(SYS_sched_yield);
    else
      call(SYS_nanosleep, as_long(&moment), 0);
  }
}

void resume_signals() {
  if (library.process == nullptr || !is_own_memory()) return;
  __atomic_store_n(&library.process->signal, static_cast<uint32_t>(library.signal), __ATOMIC_SEQ_CST);
}

namespace {

// As it would be without us.
void let_go_of(int signal) {
  pause_signals();
  KernelAction as_it_was = library.pretended;
  set_action(signal, &as_it_was, nullptr);
  library.signal = 0;
  if (!is_believed_blocked) return;
  const SignalSet own = bit_of(signal);
  call(SYS_rt_sigprocmask, SIG_BLOCK, as_long(&own), 0, sizeof own);
  is_believed_blocked = false;
}

}  // namespace

void give_away(int signal) {
  library.of_program |= bit_of(signal);
  let_go_of(signal);
  const int other = next_signal();
  if (other != 0) listen_to(other);
}

void stop_listening() {
  if (library.signal != 0 && is_own_memory()) let_go_of(library.signal);
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
  if (signal != library.signal || library.signal == 0 || !is_own_memory()) return real(signal, action, before);
  if (action == nullptr || !is_handler(reinterpret_cast<void*>(action->sa_handler))) return pretend(action, before);
  give_away(signal);
  return real(signal, action, before);
}

__attribute__((visibility("default"))) sighandler_t signal(int number, sighandler_t handler) {
  if (number == library.signal && library.signal != 0 && is_own_memory()) {
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
  auto* real = next<int(int, const sigset_t*, sigset_t*)>("pthread_sigmask");
  return real != nullptr ? change_mask(real, how, set, before) : ENOSYS;
}

__attribute__((visibility("default"))) int sigprocmask(int how, const sigset_t* set, sigset_t* before) {
  auto* real = next<int(int, const sigset_t*, sigset_t*)>("sigprocmask");
  return real != nullptr ? change_mask(real, how, set, before) : -1;
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

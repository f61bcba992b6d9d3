// SPDX-License-Identifier: Apache-2.0
// system() and popen(): a C library starts the shell without anybody standing between, with the environment of the program.
#include <errno.h>
#include <spawn.h>
#include <stdio.h>

#include "capture/preload/library/environment.h"

extern "C" {
extern char** environ __attribute__((weak));
int* __errno_location() __attribute__((weak));
const char* gnu_get_libc_version() __attribute__((weak));
int posix_spawnattr_init(posix_spawnattr_t*) __attribute__((weak));
int posix_spawnattr_destroy(posix_spawnattr_t*) __attribute__((weak));
int posix_spawnattr_setflags(posix_spawnattr_t*, short) __attribute__((weak));
int posix_spawnattr_setsigmask(posix_spawnattr_t*, const sigset_t*) __attribute__((weak));
int posix_spawnattr_setsigdefault(posix_spawnattr_t*, const sigset_t*) __attribute__((weak));
}

namespace atys::preload {

namespace {

constexpr const char* kShell = "/bin/sh";

class Lock {
 public:
  explicit Lock(uint32_t& word) : word_(word) {
    while (__atomic_exchange_n(&word_, 1u, __ATOMIC_ACQUIRE) != 0) call(SYS_sched_yield);
  }
  ~Lock() { __atomic_store_n(&word_, 0u, __ATOMIC_RELEASE); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  uint32_t& word_;
};

void set_error(int error) {
  if (__errno_location != nullptr) *__errno_location() = error;
}

// While a shell runs, what is typed to interrupt it does not interrupt who waits for it: the first to wait sees to that, and
// the last takes it back.
struct Waiting {
  uint32_t lock;
  uint32_t count;
  KernelAction interrupt, quit;
};
Waiting waiting;

void begin_to_wait() {
  Lock held(waiting.lock);
  if (waiting.count++ > 0) return;
  const KernelAction ignored{.handler = reinterpret_cast<void*>(SIG_IGN), .flags = 0, .restorer = nullptr, .mask = 0};
  set_action(SIGINT, &ignored, &waiting.interrupt);
  set_action(SIGQUIT, &ignored, &waiting.quit);
}

void end_to_wait() {
  Lock held(waiting.lock);
  if (--waiting.count > 0) return;
  set_action(SIGINT, &waiting.interrupt, nullptr);
  set_action(SIGQUIT, &waiting.quit, nullptr);
}

bool is_ignored(const KernelAction& action) { return action.handler == reinterpret_cast<void*>(SIG_IGN); }

sigset_t as_set(SignalSet bits) {
  sigset_t set;
  __builtin_memset(&set, 0, sizeof set);
  copy_bytes(&set, &bits, sizeof bits);
  return set;
}

// Newer ones keep a command that begins with a dash from being an option.
bool ends_options() {
  const char* version = gnu_get_libc_version != nullptr ? gnu_get_libc_version() : "";
  if (!begins_with(version, "2.")) return false;
  int minor = 0;
  for (const char* digit = version + 2; *digit >= '0' && *digit <= '9'; ++digit) minor = minor * 10 + (*digit - '0');
  constexpr int kFirst = 38;
  return minor >= kFirst;
}

// Returns an error number.
int start_shell(const char* command, SignalSet mask, pid_t& pid) {
  using Spawn = int(pid_t*, const char*, const void*, const void*, Strings, Strings);
  auto* real = next<Spawn>("posix_spawn");
  posix_spawnattr_t attributes;
  if (real == nullptr || posix_spawnattr_init(&attributes) != 0) return ENOSYS;
  const sigset_t own_mask = as_set(mask);
  const sigset_t defaults =
      as_set((is_ignored(waiting.interrupt) ? 0 : bit_of(SIGINT)) | (is_ignored(waiting.quit) ? 0 : bit_of(SIGQUIT)));
  posix_spawnattr_setsigmask(&attributes, &own_mask);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  char* const words[] = {const_cast<char*>("sh"), const_cast<char*>("-c"), const_cast<char*>("--"),
                         const_cast<char*>(command), nullptr};
  char* const fewer[] = {words[0], words[1], words[3], nullptr};
  const int error = with_environment(kShell, false, &environ != nullptr ? environ : nullptr, [&](Strings all) {
    return real(&pid, kShell, nullptr, &attributes, ends_options() ? words : fewer, all);
  });
  posix_spawnattr_destroy(&attributes);
  return error;
}

// As a C library does it. It cannot be left to it: whoever else starts a shell meanwhile, or asks for a variable, would
// find the environment that was meant for this one.
int run_shell(const char* command) {
  constexpr int kNoShell = 127 << 8;
  begin_to_wait();
  const SignalSet child_ended = bit_of(SIGCHLD);
  SignalSet mask = 0;
  call(SYS_rt_sigprocmask, SIG_BLOCK, as_long(&child_ended), as_long(&mask), sizeof mask);
  pid_t pid = 0;
  int status = -1;
  int error = start_shell(command, mask, pid);
  if (error == 0) {
    long result;
    do result = call(SYS_wait4, pid, as_long(&status), 0, 0);
    while (result == -EINTR);
    if (result != pid) {
      status = -1;
      error = static_cast<int>(-result);
    }
  } else {
    status = kNoShell;
  }
  end_to_wait();
  call(SYS_rt_sigprocmask, SIG_SETMASK, as_long(&mask), 0, sizeof mask);
  if (error != 0) set_error(error);
  return status;
}

// popen() starts and returns: the environment is another for so long. Who looks at it meanwhile, in another thread, may go
// on to do so: what it was is never given back, only used again.
struct Lent {
  uint32_t lock;
  char** before;  // null: nobody has it
  char** room;
  size_t bytes;
};
Lent lent;

char** lend_environment() {
  const Environment environment(environ);
  if (!environment.is_small_enough()) return nullptr;
  if (environment.bytes() > lent.bytes) {
    const size_t bytes = (environment.bytes() * 2 + 4095) & ~size_t{4095};
    const long at = call(SYS_mmap, 0, static_cast<long>(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at < 0 && at > -4096) return nullptr;
    lent.room = reinterpret_cast<char**>(at);
    lent.bytes = bytes;
  }
  char** all = environment.write(lent.room);
  __atomic_store_n(&lent.before, environ, __ATOMIC_SEQ_CST);
  __atomic_store_n(&environ, all, __ATOMIC_SEQ_CST);
  return all;
}

bool is_in_room(const char* text) {
  return text >= reinterpret_cast<char*>(lent.room) && text < reinterpret_cast<char*>(lent.room) + lent.bytes;
}

// Who changed it meanwhile has taken our words over: the variable as it was comes into their place.
void take_back_environment(char** all) {
  char** before = lent.before;
  char** expected = all;
  if (!__atomic_compare_exchange_n(&environ, &expected, before, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) &&
      expected != nullptr) {
    const char* value = value_in(before, kPreloadVariable);
    for (char** entry = expected; *entry != nullptr;) {
      const bool is_shared = is_in_room(*entry) && begins_with(*entry, kSharedVariable);
      const bool is_preload = is_in_room(*entry) && !is_shared;
      if (is_preload && value != nullptr) *entry = const_cast<char*>(value) - (sizeof kPreloadVariable - 1);
      if (!is_shared && (!is_preload || value != nullptr)) {
        ++entry;
        continue;
      }
      for (char** moved = entry; *moved != nullptr; ++moved) moved[0] = moved[1];
    }
  }
  __atomic_store_n(&lent.before, static_cast<char**>(nullptr), __ATOMIC_SEQ_CST);
}

}  // namespace

// Another thread may have been in the middle of popen(), or of system().
void forget_shells() {
  if (lent.before != nullptr) take_back_environment(lent.room);
  lent.lock = waiting.lock = 0;
}

}  // namespace atys::preload

using namespace atys::preload;

extern "C" {
#pragma GCC visibility push(default)

int system(const char* command) {
  if (command != nullptr && posix_spawnattr_init != nullptr && is_followed(kShell, false)) return run_shell(command);
  auto* real = next<int(const char*)>("system");
  return real != nullptr ? real(command) : -1;
}

FILE* popen(const char* command, const char* mode) {
  auto* real = next<FILE*(const char*, const char*)>("popen");
  if (real == nullptr) return nullptr;
  if (&environ == nullptr || environ == nullptr || !is_followed(kShell, false)) return real(command, mode);
  Lock held(lent.lock);
  char** all = lend_environment();
  FILE* pipe = real(command, mode);
  if (all != nullptr) take_back_environment(all);
  return pipe;
}

#pragma GCC visibility pop
}

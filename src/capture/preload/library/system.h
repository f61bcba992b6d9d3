// SPDX-License-Identifier: Apache-2.0
// System calls without a C library: this code runs in programs of any C library, in signal handlers, and before the program
// has begun.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

namespace atys::preload {

// Negative: -errno.
inline long call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
#if defined(__x86_64__)
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
#else
  register long x8 asm("x8") = number;
  register long x0 asm("x0") = a;
  register long x1 asm("x1") = b;
  register long x2 asm("x2") = c;
  register long x3 asm("x3") = d;
  register long x4 asm("x4") = e;
  register long x5 asm("x5") = f;
  asm volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return x0;
#endif
}

template <typename T>
long as_long(T* pointer) {
  return reinterpret_cast<long>(pointer);
}

inline uint32_t own_process() { return static_cast<uint32_t>(call(SYS_getpid)); }
inline uint32_t own_thread() { return static_cast<uint32_t>(call(SYS_gettid)); }

inline uint64_t clock_now(clockid_t clock) {
  timespec now{};
  call(SYS_clock_gettime, clock, as_long(&now));
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

inline int open_file(const char* path, int flags) {
  return static_cast<int>(call(SYS_openat, AT_FDCWD, as_long(path), flags | O_CLOEXEC));
}
inline void close_file(int fd) { call(SYS_close, fd); }
inline bool may_read(const char* path) { return call(SYS_faccessat, AT_FDCWD, as_long(path), 4) == 0; }

// The Linux kernel's own idea of a set of signals and of an action: a C library's are larger.
using SignalSet = uint64_t;
constexpr SignalSet bit_of(int signal) { return SignalSet{1} << (signal - 1); }

struct KernelAction {
  void* handler;
  unsigned long flags;
  void* restorer;
  SignalSet mask;
};

inline long set_action(int signal, const KernelAction* action, KernelAction* before) {
  return call(SYS_rt_sigaction, signal, as_long(action), as_long(before), sizeof(SignalSet));
}

inline size_t length_of(const char* text) {
  size_t length = 0;
  while (text[length] != 0) ++length;
  return length;
}
inline bool begins_with(const char* text, const char* start) {
  while (*start != 0)
    if (*text++ != *start++) return false;
  return true;
}
inline bool is_equal(const char* a, const char* b) { return begins_with(a, b) && length_of(a) == length_of(b); }
inline void copy_bytes(void* to, const void* from, size_t size) { __builtin_memcpy(to, from, size); }

}  // namespace atys::preload

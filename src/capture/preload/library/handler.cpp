// SPDX-License-Identifier: Apache-2.0
// What happens in the moment of a sample: registers, the top of the stack and the frames of an interpreter are copied. The
// thread goes on as if nothing had been, also where it was in a system call.
#include <sys/resource.h>
#include <ucontext.h>

#include "capture/preload/library/call_number.h"
#include "capture/preload/library/library.h"
#include "capture/preload/library/walk.h"

extern "C" {
extern __attribute__((visibility("hidden"))) const char atys_system_call_made;
__attribute__((visibility("hidden"))) void atys_return_from_signal();
#if defined(__x86_64__)
asm(".text\n.globl atys_return_from_signal\n.hidden atys_return_from_signal\n"
    ".type atys_return_from_signal,@function\natys_return_from_signal:\n"
    "mov $15, %eax\nsyscall\n.size atys_return_from_signal, .-atys_return_from_signal\n");
#else
asm(".text\n.globl atys_return_from_signal\n.hidden atys_return_from_signal\n"
    ".type atys_return_from_signal,@function\natys_return_from_signal:\n"
    "mov x8, #139\nsvc #0\n.size atys_return_from_signal, .-atys_return_from_signal\n");
#endif
}

namespace atys::preload {

namespace {

constexpr long kInterrupted = -4;  // EINTR
constexpr unsigned long kRestorer = 0x04000000;

#if defined(__x86_64__)
Registers registers_in(const ucontext_t& context) {
  const auto& saved = context.uc_mcontext.gregs;
  const auto at = [&](int number) { return static_cast<uint64_t>(saved[number]); };
  return {.pc = at(REG_RIP), .sp = at(REG_RSP), .fp = at(REG_RBP), .lr = 0, .bx = at(REG_RBX)};
}
uint64_t live_register(const ucontext_t& context) { return static_cast<uint64_t>(context.uc_mcontext.gregs[REG_R15]); }

// A system call that failed because of a signal: the instruction is behind us, and its result is there. Those that can be
// restarted by the system have been already.
bool is_interrupted_call(const ucontext_t& context) {
  const auto* next = reinterpret_cast<const unsigned char*>(context.uc_mcontext.gregs[REG_RIP]);
  return context.uc_mcontext.gregs[REG_RAX] == kInterrupted && next[-2] == 0x0f && next[-1] == 0x05;
}

// Its arguments are all in their registers still; only its number has to be known.
bool call_again(ucontext_t& context) {
  auto& saved = context.uc_mcontext.gregs;
  const auto next = static_cast<uint64_t>(saved[REG_RIP]);
  long number = saved[REG_RBX];
  if (next != reinterpret_cast<uint64_t>(&atys_system_call_made)) {
    const uint64_t in_page = next & (kPage - 1);  // the page before may not be there
    const size_t size = in_page >= kSystemCallBytes && in_page < kFarthestNumber ? in_page : kFarthestNumber;
    number = call_number_in(reinterpret_cast<const unsigned char*>(next - size), size);
  }
  if (number < 0) return false;
  saved[REG_RAX] = number;
  saved[REG_RIP] -= static_cast<greg_t>(kSystemCallBytes);
  return true;
}
#else
Registers registers_in(const ucontext_t& context) {
  const auto& saved = context.uc_mcontext;
  return {.pc = saved.pc, .sp = saved.sp, .fp = saved.regs[29], .lr = saved.regs[30], .bx = 0};
}
uint64_t live_register(const ucontext_t& context) { return context.uc_mcontext.regs[28]; }

bool is_interrupted_call(const ucontext_t& context) {
  const auto* next = reinterpret_cast<const uint32_t*>(context.uc_mcontext.pc);
  return static_cast<long>(context.uc_mcontext.regs[0]) == kInterrupted && next[-1] == 0xd4000001;  // svc #0
}

// The result has taken the place of the first argument. It is where it came from if it was moved there shortly before.
bool call_again(ucontext_t& context) {
  auto& saved = context.uc_mcontext;
  const auto* next = reinterpret_cast<const uint32_t*>(saved.pc);
  if (saved.pc == reinterpret_cast<uint64_t>(&atys_system_call_made)) {
    saved.regs[0] = saved.regs[19];
    saved.pc -= 4;
    return true;
  }
  constexpr int kFarthest = 8;
  for (int i = 2; i <= kFarthest; ++i) {
    const uint32_t instruction = next[-i];
    const uint32_t from = instruction >> 16 & 31;
    const bool is_move = (instruction & 0xffe0ffff) == 0xaa0003e0 || (instruction & 0xffe0ffff) == 0x2a0003e0;  // mov 0, N
    const bool is_extension = (instruction & 0xfffffc1f) == 0x93407c00;  // sxtw x0, wN
    const uint32_t source = is_extension ? instruction >> 5 & 31 : from;
    if ((is_move || is_extension) && source >= 19 && source <= 28) {
      const uint64_t value = saved.regs[source];
      saved.regs[0] = is_extension ? static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(value))) : value;
      saved.pc -= 4;
      return true;
    }
    if ((instruction & 0x1f) == 0 || (instruction & 0xfc000000) == 0x94000000) return false;  // something else sets x0
  }
  return false;
}
#endif

// Who waits for a signal of his own gets it: then the call has to end.
bool is_another_coming(const ucontext_t& context) {
  SignalSet pending = 0;
  SignalSet blocked = 0;
  copy_bytes(&blocked, &context.uc_sigmask, sizeof blocked);
  call(SYS_rt_sigpending, as_long(&pending), sizeof pending);
  return (pending & ~blocked) != 0;
}

void undo_interruption(ucontext_t& context) {
  if (!is_interrupted_call(context) || is_another_coming(context)) return;
  const bool is_undone = call_again(context);
  if (library.process != nullptr)
    __atomic_fetch_add(is_undone ? &library.process->restarted : &library.process->left, 1, __ATOMIC_RELAXED);
}

uint64_t own_switches() {
  rusage usage{};
  constexpr long kOfThread = 1;
  call(SYS_getrusage, kOfThread, as_long(&usage));
  return static_cast<uint64_t>(usage.ru_nvcsw) + static_cast<uint64_t>(usage.ru_nivcsw);
}

void answer(Request& request, const Registers& registers, uint64_t live) {
  request.time_ns = clock_now(CLOCK_MONOTONIC);
  request.cpu_ns = clock_now(CLOCK_THREAD_CPUTIME_ID);
  request.switches = own_switches();
  request.registers = registers;
  request.walked = request.walk_flags = 0;
  OwnMemory memory;
  const uint32_t wanted = request.stack_bytes < kStackBytes ? request.stack_bytes : kStackBytes;
  request.copied = static_cast<uint32_t>(memory.read_some(request.stack, request.registers.sp, wanted));
  if (request.walker < kWalkers) Walk(memory, library.shared->walkers[request.walker], request).run(live);
  request.loaded = loaded_number(memory);
  request.spent_ns = clock_now(CLOCK_MONOTONIC) - request.time_ns;
}

// A signal that is not from Atys finds no request that was asked for.
void on_signal(int, siginfo_t* info, void* context) {
  auto& interrupted = *static_cast<ucontext_t*>(context);
  undo_interruption(interrupted);
  const auto number = reinterpret_cast<uint64_t>(info->si_value.sival_ptr);
  if (info->si_code != SI_QUEUE || number >> 8 != kMagic >> 8 || (number & 0xff) >= kRequests) return;
  Request& request = library.shared->requests[number & 0xff];
  uint32_t expected = kAsked;
  if (__atomic_compare_exchange_n(&request.stage, &expected, kTaken, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
    answer(request, registers_in(interrupted), live_register(interrupted));
    __atomic_store_n(&request.stage, kDone, __ATOMIC_RELEASE);
  }
  if (library.process != nullptr) __atomic_fetch_add(&library.process->handled, 1, __ATOMIC_RELEASE);
}

}  // namespace

// A program that lives for milliseconds spends much of them here.
__attribute__((noinline)) void tell_start() {
  Registers here{};
#if defined(__x86_64__)
  asm volatile("lea 0(%%rip), %0\nmov %%rsp, %1\nmov %%rbp, %2\nmov %%rbx, %3"
               : "=&r"(here.pc), "=&r"(here.sp), "=&r"(here.fp), "=&r"(here.bx));
#else
  asm volatile("adr %0, .\nmov %1, sp\nmov %2, x29\nmov %3, x30"
               : "=&r"(here.pc), "=&r"(here.sp), "=&r"(here.fp), "=&r"(here.lr));
#endif
  for (Request& start : library.shared->starts) {
    uint32_t expected = kFree;
    if (!__atomic_compare_exchange_n(&start.stage, &expected, kTaken, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) continue;
    start.state = library.pid;
    start.walker = kWalkers;
    start.stack_bytes = kStackBytes / 8;
    answer(start, here, 0);
    __atomic_store_n(&start.stage, kDone, __ATOMIC_RELEASE);
    return;
  }
}

void listen_to(int signal) {
  KernelAction action{.handler = reinterpret_cast<void*>(on_signal),
                      .flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK | kRestorer,
                      .restorer = reinterpret_cast<void*>(atys_return_from_signal),
                      .mask = ~SignalSet{0}};
  KernelAction before{};
  if (set_action(signal, &action, &before) != 0) return;
  library.pretended = before;
  library.signal = signal;
  const SignalSet own = bit_of(signal);
  SignalSet mask = 0;
  call(SYS_rt_sigprocmask, SIG_UNBLOCK, as_long(&own), as_long(&mask), sizeof own);
  is_believed_blocked = (mask & own) != 0;
  if (library.process != nullptr)
    __atomic_store_n(&library.process->signal, static_cast<uint32_t>(signal), __ATOMIC_SEQ_CST);
}

}  // namespace atys::preload

// The compiler calls these for copies of its own.
extern "C" __attribute__((visibility("hidden"))) void* memcpy(void* to, const void* from, size_t size) {
#if defined(__x86_64__)
  void* start = to;
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
  return start;
#else
  auto* target = static_cast<unsigned char*>(to);
  const auto* source = static_cast<const unsigned char*>(from);
  for (; size >= 8; size -= 8, target += 8, source += 8) {
    uint64_t word;
    asm volatile("ldr %0, [%1]" : "=r"(word) : "r"(source) : "memory");
    asm volatile("str %0, [%1]" : : "r"(word), "r"(target) : "memory");
  }
  for (; size > 0; --size) {
    asm volatile("" : : : "memory");
    *target++ = *source++;
  }
  return to;
#endif
}
extern "C" __attribute__((visibility("hidden"))) void* memset(void* to, int value, size_t size) {
  auto* target = static_cast<volatile unsigned char*>(to);
  for (size_t i = 0; i < size; ++i) target[i] = static_cast<unsigned char>(value);
  return to;
}

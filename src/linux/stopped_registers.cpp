// SPDX-License-Identifier: Apache-2.0
#include "linux/stopped_registers.h"

#include <elf.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>

namespace atys::linux {

namespace {

// False also where the thread has registers of another machine.
template <typename Registers>
bool read_register_set(pid_t tid, Registers& into) {
  iovec where{&into, sizeof(into)};
  if (::ptrace(PTRACE_GETREGSET, tid, reinterpret_cast<void*>(NT_PRSTATUS), &where) != 0) return false;
  errno = 0;
  return where.iov_len == sizeof(into);
}

}  // namespace

#if defined(__x86_64__)

namespace {

// Calls that say EINTR themselves when they are woken before they have done anything. Not close(), which has closed by then,
// and not ioctl(), of which nobody knows. Sorted by nothing: there are few, and it is asked only where a call failed.
constexpr long kCallsToMakeAgain[] = {
    SYS_epoll_wait,
    SYS_epoll_pwait,
    441 /* epoll_pwait2 */,
    SYS_select,
    SYS_pselect6,
    SYS_poll,
    SYS_ppoll,
    SYS_semop,
    SYS_semtimedop,
    SYS_msgrcv,
    SYS_msgsnd,
    SYS_rt_sigtimedwait,
    SYS_io_getevents,
    333 /* io_pgetevents */,
    426 /* io_uring_enter */,
    SYS_read,
    SYS_readv,
    SYS_pread64,
    SYS_preadv,
    SYS_preadv2,
    SYS_write,
    SYS_writev,
    SYS_pwrite64,
    SYS_pwritev,
    SYS_pwritev2,
    SYS_recvfrom,
    SYS_recvmsg,
    SYS_recvmmsg,
    SYS_sendto,
    SYS_sendmsg,
    SYS_sendmmsg,
    SYS_accept,
    SYS_accept4,
    SYS_connect,
    SYS_mq_timedsend,
    SYS_mq_timedreceive,
    SYS_fallocate,
};

// The kernel's own, of include/linux/errno.h: no program ever sees it. It reads the register when the thread goes on.
constexpr long kAgainUnlessHandled = -514;  // ERESTARTNOHAND

}  // namespace

std::optional<StoppedRegisters> read_stopped_registers(pid_t tid) {
  user_regs_struct registers{};
  if (!read_register_set(tid, registers)) return std::nullopt;
  StoppedRegisters stopped;
  stopped.user = {.pc = registers.rip, .sp = registers.rsp, .fp = registers.rbp, .lr = 0, .bx = registers.rbx};
  stopped.call = static_cast<int64_t>(registers.orig_rax);
  stopped.result = static_cast<int64_t>(registers.rax);
  return stopped;
}

bool failed_because_of_us(const StoppedRegisters& registers) {
  if (registers.call < 0 || registers.result != -EINTR) return false;
  return std::find(std::begin(kCallsToMakeAgain), std::end(kCallsToMakeAgain), registers.call) !=
         std::end(kCallsToMakeAgain);
}

bool make_call_again(pid_t tid) {
  return ::ptrace(PTRACE_POKEUSER, tid, offsetof(user_regs_struct, rax), kAgainUnlessHandled) == 0;
}

#elif defined(__aarch64__)

std::optional<StoppedRegisters> read_stopped_registers(pid_t tid) {
  user_regs_struct registers{};
  if (!read_register_set(tid, registers)) return std::nullopt;
  StoppedRegisters stopped;
  stopped.user = {.pc = registers.pc, .sp = registers.sp, .fp = registers.regs[29], .lr = registers.regs[30], .bx = 0};
  return stopped;
}

// Before it stops, the kernel has decided what becomes of the call, and has forgotten its number; the result lies where its
// first argument was. Nothing can be put back.
bool failed_because_of_us(const StoppedRegisters&) { return false; }
bool make_call_again(pid_t) { return false; }

#endif

}  // namespace atys::linux

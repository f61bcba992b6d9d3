// SPDX-License-Identifier: Apache-2.0
// syscall(): a C library's own forgets which call it made, so one that our signal interrupted could not be made again. This
// one keeps the number, and the first argument, in registers that calls leave alone. And prctl(): a program that lets itself
// be killed for calls that it did not foresee is not to make ours.
#include <errno.h>
#include <stdarg.h>
#include <sys/prctl.h>

#include "capture/preload/library/library.h"

extern "C" {
int* __errno_location() __attribute__((weak));
__attribute__((visibility("hidden"))) long atys_system_call(long number, long a, long b, long c, long d, long e, long f);

#if defined(__x86_64__)
asm(".text\n.globl atys_system_call\n.hidden atys_system_call\n.type atys_system_call,@function\n"
    "atys_system_call:\n.cfi_startproc\n"
    "push %rbx\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset %rbx, 0\n"
    "mov %rdi, %rbx\nmov %rdi, %rax\nmov %rsi, %rdi\nmov %rdx, %rsi\nmov %rcx, %rdx\nmov %r8, %r10\nmov %r9, %r8\n"
    "mov 16(%rsp), %r9\nsyscall\n"
    ".globl atys_system_call_made\n.hidden atys_system_call_made\natys_system_call_made:\n"
    "pop %rbx\n.cfi_adjust_cfa_offset -8\n.cfi_restore %rbx\nret\n.cfi_endproc\n"
    ".size atys_system_call, .-atys_system_call\n");
#else
asm(".text\n.globl atys_system_call\n.hidden atys_system_call\n.type atys_system_call,%function\n"
    "atys_system_call:\n.cfi_startproc\n"
    "str x19, [sp, #-16]!\n.cfi_adjust_cfa_offset 16\n.cfi_rel_offset x19, 0\n"
    "mov x8, x0\nmov x0, x1\nmov x19, x1\nmov x1, x2\nmov x2, x3\nmov x3, x4\nmov x4, x5\nmov x5, x6\nsvc #0\n"
    ".globl atys_system_call_made\n.hidden atys_system_call_made\natys_system_call_made:\n"
    "ldr x19, [sp], #16\n.cfi_adjust_cfa_offset -16\n.cfi_restore x19\nret\n.cfi_endproc\n"
    ".size atys_system_call, .-atys_system_call\n");
#endif

// More arguments than were given are whatever is there, which the call that is made does not look at.
__attribute__((visibility("default"))) long make_call(long number, long a, long b, long c, long d, long e,
                                                      long f) asm("syscall");
long make_call(long number, long a, long b, long c, long d, long e, long f) {
  if (number == SYS_seccomp || (number == SYS_prctl && a == PR_SET_SECCOMP)) atys::preload::stop_listening();
  const long result = atys_system_call(number, a, b, c, d, e, f);
  if (result > -1 || result < -4095) return result;
  if (__errno_location != nullptr) *__errno_location() = static_cast<int>(-result);
  return -1;
}

__attribute__((visibility("default"))) int prctl(int option, ...) {
  if (option == PR_SET_SECCOMP) atys::preload::stop_listening();
  va_list list;
  va_start(list, option);
  const long a = va_arg(list, long);
  const long b = va_arg(list, long);
  const long c = va_arg(list, long);
  const long d = va_arg(list, long);
  va_end(list);
  const long result = atys::preload::call(SYS_prctl, option, a, b, c, d);
  if (result >= 0) return static_cast<int>(result);
  if (__errno_location != nullptr) *__errno_location() = static_cast<int>(-result);
  return -1;
}
}

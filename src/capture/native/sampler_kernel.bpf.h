/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The few kernel fields that our programs read. Where they lie in the running kernel is found at load time. */
#ifndef ATYS_SAMPLER_KERNEL_H
#define ATYS_SAMPLER_KERNEL_H

/* What a program on a perf event is given begins with the registers at the interrupt, in the order that ptrace(2) shows
 * them: that order is fixed. */
#if defined(__TARGET_ARCH_x86)
enum { ATYS_WORD_FP = 4, ATYS_WORD_PC = 16, ATYS_WORD_SP = 19 };
#define ATYS_WORD_LR(words) 0
#define ATYS_WORD_BX(words) ((words)[5])
#define ATYS_IS_USER(words) (((words)[17] & 3) == 3) /* cs */
#elif defined(__TARGET_ARCH_arm64)
enum { ATYS_WORD_FP = 29, ATYS_WORD_PC = 32, ATYS_WORD_SP = 31 };
#define ATYS_WORD_LR(words) ((words)[30])
#define ATYS_WORD_BX(words) 0
#define ATYS_IS_USER(words) (((words)[33] & 0x1f) == 0) /* pstate: EL0, 64 bits */
#endif

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

#if defined(__TARGET_ARCH_x86)
struct pt_regs {
  unsigned long r15, bx, bp, ip, sp;
};
#define ATYS_REG_PC(regs) BPF_CORE_READ(regs, ip)
#define ATYS_REG_SP(regs) BPF_CORE_READ(regs, sp)
#define ATYS_REG_FP(regs) BPF_CORE_READ(regs, bp)
#define ATYS_REG_LR(regs) 0
#define ATYS_REG_BX(regs) BPF_CORE_READ(regs, bx)
#define ATYS_REG_LIVE(regs) BPF_CORE_READ(regs, r15)
#define ATYS_CALLER_IS_ON_STACK 1
struct thread_struct {
  unsigned long fsbase;
};
#define ATYS_THREAD_POINTER(task) BPF_CORE_READ(task, thread.fsbase)
#define ATYS_VECTOR_AT 8
#elif defined(__TARGET_ARCH_arm64)
struct pt_regs {
  __u64 regs[31], sp, pc;
};
#define ATYS_REG_PC(regs) BPF_CORE_READ(regs, pc)
#define ATYS_REG_SP(regs) BPF_CORE_READ(regs, sp)
#define ATYS_REG_FP(regs) BPF_CORE_READ(regs, regs[29])
#define ATYS_REG_LR(regs) BPF_CORE_READ(regs, regs[30])
#define ATYS_REG_BX(regs) 0
#define ATYS_REG_LIVE(regs) BPF_CORE_READ(regs, regs[28])
#define ATYS_CALLER_IS_ON_STACK 0
struct thread_tls {
  unsigned long tp_value;
};
struct thread_struct {
  struct thread_tls uw;
};
#define ATYS_THREAD_POINTER(task) BPF_CORE_READ(task, thread.uw.tp_value)
#define ATYS_VECTOR_AT 0
#endif

typedef struct {
  int counter;
} atomic_t;

struct signal_struct {
  atomic_t live;
};

struct mm_struct {
  unsigned long start_stack;
};

struct ns_common {
  unsigned int inum;
};

struct pid_namespace {
  struct ns_common ns;
};

struct upid {
  int nr;
  struct pid_namespace* ns;
};

struct pid {
  unsigned int level;
  struct upid numbers[1];  // as many as levels
};

struct sched_entity {
  __u64 sum_exec_runtime;
};

struct task_struct {
  int pid;
  int tgid;
  unsigned int flags;
  unsigned int __state;
  struct mm_struct* mm;
  struct signal_struct* signal;
  struct pid* thread_pid;
  struct task_struct* group_leader;
  struct thread_struct thread;
  struct sched_entity se;
  __u64 start_time;
};

#pragma clang attribute pop

#endif

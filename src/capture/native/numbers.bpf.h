// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Processes and threads by the numbers that user space has for them: those of our own pid namespace. Included by
// sampler.bpf.c.
#ifndef ATYS_NUMBERS_BPF_H
#define ATYS_NUMBERS_BPF_H

const volatile __u32 our_pid_namespace = 0;  // 0: the first one, whose numbers are the kernel's own
__u32 our_level = 0;  // of that namespace; inside it nobody can ask, so it is learnt from the first thread of it. 0: not yet

enum { ATYS_MAX_LEVELS = 32 };  // as many as the kernel lets be made

// What the pid namespace at that level calls it.
static struct upid* upid_at(__u64 pid, __u32 level) {
  return (struct upid*)(pid + bpf_core_field_offset(struct pid, numbers) + level * bpf_core_type_size(struct upid));
}

// 0: the thread or process is not of our namespace.
static __u32 number_at(__u64 pid, __u32 level) {
  struct upid* number = upid_at(pid, level);
  return BPF_CORE_READ(number, ns, ns.inum) == our_pid_namespace ? BPF_CORE_READ(number, nr) : 0;
}

__noinline __u32 our_number(__u64 pid) {
  __u32 deepest = BPF_CORE_READ((struct pid*)pid, level);
  if (our_level) return our_level <= deepest ? number_at(pid, our_level) : 0;
  for (__u32 level = 1; level <= ATYS_MAX_LEVELS && level <= deepest; level++) {
    __u32 number = number_at(pid, level);
    if (!number) continue;
    our_level = level;
    return number;
  }
  return 0;
}

static __u32 tid_of(struct task_struct* task) {
  if (!our_pid_namespace) return BPF_CORE_READ(task, pid);
  return our_number((__u64)BPF_CORE_READ(task, thread_pid));
}

static __u32 tgid_of(struct task_struct* task) {
  if (!our_pid_namespace) return BPF_CORE_READ(task, tgid);
  return our_number((__u64)BPF_CORE_READ(task, group_leader, thread_pid));
}

static __u32 current_tid(void) {
  return our_pid_namespace ? tid_of(bpf_get_current_task_btf()) : (__u32)bpf_get_current_pid_tgid();
}

static __u32 current_tgid(void) {
  return our_pid_namespace ? tgid_of(bpf_get_current_task_btf()) : bpf_get_current_pid_tgid() >> 32;
}

#endif

// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Threads that wait: when one leaves the CPU the time is noted, when it comes back the wait is over, and its stack is still
// the one that it waited with. Included by sampler.bpf.c.
//
// A wait of length d is recorded with probability min(1, d / wait_period) and then stands for max(d, wait_period), so that
// sums of time are true whatever the length of the waits, while each thread gives at most one record per wait_period: the
// same resolution as samples on the CPU have. The die is cast when the wait begins; so the waker can tell whether it
// matters.
#ifndef ATYS_WAITS_BPF_H
#define ATYS_WAITS_BPF_H

// One value, wait_period in ns: user space changes it while we run, as the guard says.
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, __u64);
} wait_period SEC(".maps");

const volatile __u64 max_waits_per_second = 20000;

struct wait {
  __u64 since_ns;      // 0: it runs
  __u64 threshold_ns;  // the wait is recorded if it lasts as long
  __u64 period_ns;
  __u32 state;
  __u32 is_pending;  // the wait is over, its stack not taken yet
  __u64 duration_ns;
};

struct {
  __uint(type, BPF_MAP_TYPE_TASK_STORAGE);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, int);
  __type(value, struct wait);
} waits SEC(".maps");

__u64 waits_second = 0;
__u64 waits_in_second = 0;

static int is_over_cap(__u64 now) {
  __u64 second = now / 1000000000;
  if (waits_second != second) {
    waits_second = second;
    waits_in_second = 0;
  }
  return __sync_fetch_and_add(&waits_in_second, 1) >= max_waits_per_second;
}

static __u64 pair_of(__u64 since_ns, __u32 tid) { return mix(since_ns, tid) | 1; }

static void begin_wait(struct task_struct* task, __u32 state, __u64 now) {
  struct wait* wait = bpf_task_storage_get(&waits, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
  __u32 zero = 0;
  __u64* period_ns = bpf_map_lookup_elem(&wait_period, &zero);
  if (!wait || !period_ns) return;
  wait->since_ns = now;
  wait->period_ns = *period_ns;
  wait->threshold_ns = ((__u64)bpf_get_prandom_u32() * wait->period_ns) >> 32;
  wait->state = state;
  wait->is_pending = 0;
}

static void end_wait(struct task_struct* task, __u64 now) {
  struct wait* wait = bpf_task_storage_get(&waits, task, 0, 0);
  if (!wait || wait->since_ns == 0) return;
  wait->duration_ns = now - wait->since_ns;
  count(ATYS_WAITS, 1);
  count(ATYS_WAIT_NS, wait->duration_ns);
  if (wait->duration_ns < wait->threshold_ns)
    wait->since_ns = 0;
  else
    wait->is_pending = 1;
}

SEC("tp_btf/sched_switch")
int on_switch(__u64* ctx) {
  int preempted = (int)ctx[0] & 1;
  struct task_struct* prev = (struct task_struct*)ctx[1];
  struct task_struct* next = (struct task_struct*)ctx[2];
  __u64 now = bpf_ktime_get_ns();
  if (is_target(BPF_CORE_READ(prev, tgid))) {
    __u32 state = BPF_CORE_READ(prev, __state);
    begin_wait(prev, preempted || state == 0 ? ATYS_PREEMPTED : state, now);
  }
  if (is_target(BPF_CORE_READ(next, tgid))) end_wait(next, now);
  return 0;
}

// The thread that has just got the CPU: finish_task_switch runs as it, before it goes on.
SEC("kprobe")
int on_resume(void* ctx) {
  struct task_struct* task = bpf_get_current_task_btf();
  if (!is_target(BPF_CORE_READ(task, tgid))) return 0;
  struct wait* wait = bpf_task_storage_get(&waits, task, 0, 0);
  if (!wait || !wait->is_pending) return 0;
  __u64 weight = wait->duration_ns > wait->period_ns ? wait->duration_ns : wait->period_ns;
  __u64 pair = pair_of(wait->since_ns, BPF_CORE_READ(task, pid));
  wait->is_pending = 0;
  wait->since_ns = 0;
  if (is_over_cap(bpf_ktime_get_ns())) {
    count(ATYS_CAPPED_WAITS, 1);
    count(ATYS_CAPPED_WAIT_NS, weight);
    return 0;
  }
  if (is_over_limit()) return 0;
  struct scratch* scratch = begin_record(ctx);
  if (!scratch) return 0;
  scratch->record.type = ATYS_WAIT;
  scratch->record.weight = weight;
  scratch->record.wait_state = wait->state;
  scratch->record.stack_hash = pair;
  count(ATYS_SAMPLES, 1);
  __u32 mode = mode_of(scratch->record.tgid);
  send(scratch, add_user_stack(ctx, scratch, mode));
  return 0;
}

// Who ends a wait that will be recorded: runs as the waker.
SEC("tp_btf/sched_waking")
int on_waking(__u64* ctx) {
  struct task_struct* task = (struct task_struct*)ctx[0];
  if (!is_target(BPF_CORE_READ(task, tgid))) return 0;
  struct wait* wait = bpf_task_storage_get(&waits, task, 0, 0);
  if (!wait || wait->since_ns == 0 || wait->is_pending) return 0;
  __u64 now = bpf_ktime_get_ns();
  if (now - wait->since_ns < wait->threshold_ns || (wait->state & ATYS_PREEMPTED)) return 0;
  if (is_over_cap(now)) return 0;
  __u64 pair = pair_of(wait->since_ns, BPF_CORE_READ(task, pid));
  struct scratch* scratch = begin_record(ctx);
  if (!scratch) return 0;
  scratch->record.type = ATYS_WAKER;
  scratch->record.weight = 0;
  scratch->record.stack_hash = pair;
  __u32 mode = mode_of(scratch->record.tgid);
  send(scratch, add_user_stack(ctx, scratch, mode));
  return 0;
}

#endif

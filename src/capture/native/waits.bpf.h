// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Threads that wait: when one leaves the CPU the time is noted, when it comes back the wait is over. Included by
// sampler.bpf.c.
//
// A wait of length d matters with probability min(1, d / period) and then stands for max(d, period), so that sums of time
// are true whatever the length of the waits, while each thread gives at most one record per period: the resolution that
// samples on the CPU have. The die is cast when the wait begins: it matters if it lasts as long as its threshold.
//
// The stack must be taken by the thread itself. That is when it leaves the CPU, where the kernel's part of the stack says
// for what it waits; but then nobody knows whether the wait will matter. So it is taken where the thread's latest waits make
// that likely and the allowance for such stacks is not used up; else it is taken at the end of the system call that the
// thread waited in, where its user stack is still the same.
#ifndef ATYS_WAITS_BPF_H
#define ATYS_WAITS_BPF_H

// Of threads that leave the CPU, so many in each period: 2,000 a second at 99 Hz.
const volatile __u64 max_stacks_per_period = 20;
const volatile __u64 max_waits_per_second = 10000;  // of waits that matter

struct {
  __uint(type, BPF_MAP_TYPE_TASK_STORAGE);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, int);
  __type(value, struct atys_wait);
} waits SEC(".maps");

// The thread, per CPU, whose stack is to be taken when its system call ends: the cheap question that most ends answer with
// no.
struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, __u32);
} resumed SEC(".maps");

// Records of one kind in the second at hand. Two CPUs may race at its turn: the cap is then met a little late.
struct allowance {
  __u64 second;
  __u64 used;
};
struct allowance stacks_allowance = {};
struct allowance waits_allowance = {};

static int take_from(struct allowance* allowance, __u64 most, __u64 now) {
  __u64 second = now / 1000000000;
  if (allowance->second != second) {
    allowance->second = second;
    allowance->used = 0;
  }
  return __sync_fetch_and_add(&allowance->used, 1) < most;
}

static void lose_wait(struct atys_wait* wait) {
  count(ATYS_CAPPED_WAITS, 1);
  count(ATYS_CAPPED_WAIT_NS, wait->weight_ns);
  wait->weight_ns = 0;
}

// What is kept for a thread of the target. One that has it is of the target: asking for it is cheaper than asking whose it
// is.
static struct atys_wait* wait_of(struct task_struct* task) {
  struct atys_wait* wait = bpf_task_storage_get(&waits, task, 0, 0);
  if (wait || !is_target(tgid_of(task))) return wait;
  return bpf_task_storage_get(&waits, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

static void begin_wait(void* ctx, struct task_struct* task, int preempted, __u64 now) {
  struct atys_wait* wait = wait_of(task);
  if (!wait) return;
  if (wait->weight_ns) lose_wait(wait);
  int is_first = wait->period_ns == 0;
  wait->since_ns = now;
  wait->period_ns = sample_period_ns;
  wait->threshold_ns = ((__u64)bpf_get_prandom_u32() * wait->period_ns) >> 32;
  __u32 state = BPF_CORE_READ(task, __state);
  wait->state = preempted || state == 0 ? ATYS_PREEMPTED : state;
  wait->pair = atys_mix(now, BPF_CORE_READ(task, pid)) | 1;
  wait->has_stack = 0;
  if (!is_first && wait->threshold_ns > 4 * wait->recent_ns) return;
  if (!take_from(&stacks_allowance, max_stacks_per_period * 1000000000 / (wait->period_ns | 1), now)) return;
  struct scratch* scratch = begin_kernel_record(ctx);
  if (!scratch) return;
  scratch->record.type = ATYS_WAIT_BEGIN;
  scratch->record.weight = 0;
  scratch->record.wait_state = wait->state;
  scratch->record.stack_hash = wait->pair;
  wait->has_stack = 1;
  __u32 mode = mode_of(scratch->record.tgid);
  send(scratch, add_thread(ctx, scratch, mode));
  wait->since_ns = bpf_ktime_get_ns();  // what that took is ours, not the wait's
}

// Since when a thread waits of which nothing was seen yet: it did so when the recording began.
static __u64 first_wait_since(struct task_struct* task) {
  __u64 began = BPF_CORE_READ(task, start_time);
  return began > recording_since_ns ? began : recording_since_ns;
}

// That of a thread that comes back from its first wait in the recording. Null: it is not of the target, or did not wait.
static struct atys_wait* first_wait(struct task_struct* task) {
  if (!is_target(tgid_of(task))) return 0;
  struct atys_wait* wait = bpf_task_storage_get(&waits, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
  if (!wait || wait->period_ns) return 0;
  wait->since_ns = first_wait_since(task);
  wait->period_ns = sample_period_ns;
  wait->threshold_ns = ((__u64)bpf_get_prandom_u32() * wait->period_ns) >> 32;
  wait->pair = atys_mix(wait->since_ns, BPF_CORE_READ(task, pid)) | 1;
  return wait;
}

static void end_wait(struct task_struct* task, __u64 now) {
  struct atys_wait* wait = bpf_task_storage_get(&waits, task, 0, 0);
  if (!wait) wait = first_wait(task);
  if (!wait || wait->since_ns == 0 || now <= wait->since_ns) return;
  __u64 duration_ns = now - wait->since_ns;
  wait->since_ns = 0;
  wait->recent_ns -= wait->recent_ns / 8;
  if (duration_ns > wait->recent_ns) wait->recent_ns = duration_ns;
  wait->waited_ns += duration_ns;
  count(ATYS_WAITS, 1);
  count(ATYS_WAIT_NS, duration_ns);
  if (duration_ns < wait->threshold_ns) return;
  wait->weight_ns = duration_ns > wait->period_ns ? duration_ns : wait->period_ns;
  if (!take_from(&waits_allowance, max_waits_per_second, now) || is_over_limit()) {
    lose_wait(wait);
    return;
  }
  if (!wait->has_stack) {  // on_syscall_end does the rest
    __u32 zero = 0;
    __u32* tid = bpf_map_lookup_elem(&resumed, &zero);
    if (tid) *tid = BPF_CORE_READ(task, pid);
    return;
  }
  struct atys_record end = {.type = ATYS_WAIT_END, .time_ns = now, .weight = wait->weight_ns, .stack_hash = wait->pair};
  end.tgid = tgid_of(task);
  end.tid = tid_of(task);
  end.wait_state = wait->state;
  wait->weight_ns = 0;
  count(ATYS_SAMPLES, 1);
  if (bpf_ringbuf_output(&ring, &end, sizeof(end), wakeup_flags(0)) != 0) count(ATYS_RING_FULL, 1);
}

static __u64 waited_ns_of(struct task_struct* task) {
  struct atys_wait* wait = bpf_task_storage_get(&waits, task, 0, 0);
  return wait ? wait->waited_ns : 0;
}

SEC("tp_btf/sched_switch")
int on_switch(__u64* ctx) {
  int preempted = (int)ctx[0] & 1;
  struct task_struct* prev = (struct task_struct*)ctx[1];
  struct task_struct* next = (struct task_struct*)ctx[2];
  __u64 now = bpf_ktime_get_ns();
  end_wait(next, now);
  begin_wait(ctx, prev, preempted, now);
  return 0;
}

SEC("tp_btf/sys_exit")
int on_syscall_end(__u64* ctx) {
  __u32 zero = 0;
  __u32* tid = bpf_map_lookup_elem(&resumed, &zero);
  if (!tid || *tid != (__u32)bpf_get_current_pid_tgid()) return 0;
  *tid = 0;
  struct task_struct* task = bpf_get_current_task_btf();
  struct atys_wait* wait = bpf_task_storage_get(&waits, task, 0, 0);
  if (!wait || !wait->weight_ns) return 0;
  struct scratch* scratch = begin_kernel_record(ctx);
  if (!scratch) return 0;
  scratch->record.type = ATYS_WAIT;
  scratch->record.weight = wait->weight_ns;
  scratch->record.wait_state = wait->state;
  scratch->record.stack_hash = wait->pair;
  scratch->record.kernel_frames = 0;  // of this moment, not of the wait
  wait->weight_ns = 0;
  count(ATYS_SAMPLES, 1);
  __u32 mode = mode_of(scratch->record.tgid);
  send(scratch, add_thread(ctx, scratch, mode));
  return 0;
}

// A timer may interrupt whoever runs the iterator: it has a place of its own.
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct atys_cut);
} cut_scratches SEC(".maps");

// One of which nothing was seen has waited all the time, or run.
static struct atys_wait* wait_to_cut(struct task_struct* task) {
  struct atys_wait* wait = bpf_task_storage_get(&waits, task, 0, 0);
  return wait || BPF_CORE_READ(task, __state) == 0 ? wait : first_wait(task);
}

// The stack of a thread that waits, where none was taken when it began to.
static void describe_cut(struct task_struct* task, const struct atys_wait* wait, struct atys_cut* cut) {
  struct atys_record* record = &cut->record;
  record->stack_hash = wait->has_stack ? wait->pair : 0;
  if (wait->has_stack) return;
  long got = bpf_get_task_stack(task, cut->kernel_frames, sizeof(cut->kernel_frames), 0);
  record->kernel_frames = got > 0 && got <= sizeof(cut->kernel_frames) ? (__u64)got / 8 : 0;
  read_registers(record, task);
}

// Cuts the wait that goes on, if there is one: what it stands for, or 0 if it does not matter.
static __u64 cut_wait(struct atys_wait* wait, __u64 now) {
  if (!wait->since_ns || wait->since_ns >= now) return 0;
  __u64 duration_ns = now - wait->since_ns;
  __u64 threshold_ns = wait->threshold_ns;
  wait->since_ns = now;
  wait->threshold_ns = ((__u64)bpf_get_prandom_u32() * wait->period_ns) >> 32;
  wait->waited_ns += duration_ns;
  count(ATYS_WAIT_NS, duration_ns);
  if (duration_ns < threshold_ns) return 0;
  count(ATYS_SAMPLES, 1);
  return duration_ns > wait->period_ns ? duration_ns : wait->period_ns;
}

// Threads that wait when a window or the recording ends: the wait is cut there, and what goes on is the next one's. Those
// whose stack is not known show it now: they stand still. User space reads the records from the iterator.
SEC("iter/task")
int on_cut(struct bpf_iter__task* ctx) {
  struct task_struct* task = ctx->task;
  __u32 zero = 0;
  struct atys_cut* cut = bpf_map_lookup_elem(&cut_scratches, &zero);
  if (!task || !cut || !is_target(tgid_of(task))) return 0;
  struct atys_wait* wait = wait_to_cut(task);
  if (!wait) return 0;
  struct atys_record* record = &cut->record;
  record->type = ATYS_WAIT_SO_FAR;
  record->time_ns = bpf_ktime_get_ns();
  record->tgid = tgid_of(task);
  record->tid = tid_of(task);
  record->kernel_frames = 0;
  record->wait_state = wait->state;
  record->weight = cut_wait(wait, record->time_ns);
  BPF_CORE_READ_INTO(&record->comm, task, comm);
  cut->waited_ns = wait->waited_ns;
  wait->waited_ns = 0;
  if (record->weight) describe_cut(task, wait, cut);
  bpf_seq_write(ctx->meta->seq, cut, sizeof(*cut));
  return 0;
}

// Somebody who is not of the target: nothing is asked about his process, and nothing that is known of the target's holds
// for it. Returns the bytes of the payload.
static __u32 add_outsider(struct scratch* scratch) {
  struct atys_record* record = &scratch->record;
  __u64 at = record->kernel_frames * 8;
  record->walk_flags = ATYS_OUTSIDE;
  ATYS_CHECKED_BELOW(at);
  if (record->sp == 0 || at > ATYS_MAX_KERNEL_FRAMES * 8) return at;
  return at + copy_stack(scratch, at, 0);
}

// Who ends a wait that matters: runs as the waker.
SEC("tp_btf/sched_waking")
int on_waking(__u64* ctx) {
  struct task_struct* task = (struct task_struct*)ctx[0];
  struct atys_wait* wait = bpf_task_storage_get(&waits, task, 0, 0);
  if (!wait || wait->since_ns == 0) return 0;
  __u64 now = bpf_ktime_get_ns();
  if (now - wait->since_ns < wait->threshold_ns || (wait->state & ATYS_PREEMPTED)) return 0;
  if (!take_from(&stacks_allowance, max_stacks_per_period * 1000000000 / (wait->period_ns | 1), now)) return 0;
  struct scratch* scratch = begin_kernel_record(ctx);
  if (!scratch) return 0;
  scratch->record.type = ATYS_WAKER;
  scratch->record.weight = 0;
  scratch->record.stack_hash = wait->pair;
  if (is_target(scratch->record.tgid))
    send(scratch, add_thread(ctx, scratch, mode_of(scratch->record.tgid)));
  else
    send(scratch, add_outsider(scratch));
  return 0;
}

#endif

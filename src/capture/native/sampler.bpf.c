// SPDX-License-Identifier: MIT OR GPL-2.0-only
// The sampler in the kernel. `sample` runs on a timer interrupt of each CPU, looks at the thread that was interrupted, and
// either counts its stack (found by frame pointers; only stacks never seen before cross to user space) or hands over a copy
// of the top of it (code without frame pointers; user space unwinds it). The programs in waits.bpf.h do the same for threads
// that wait. Kernel structures are declared with the few fields that are read; the loader finds where they are in the
// running kernel.
#include <linux/bpf.h>
#include <linux/types.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "sampler_kernel.bpf.h"
#include "sampler_records.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

// Set before loading.
const volatile __u32 only_listed_processes = 1;
const volatile __u32 default_mode = ATYS_BY_COPY;
const volatile __u32 default_copy_bytes = 16384;
const volatile __u32 wakeup_bytes = 262144;
const volatile __u32 only_tgid = 0;  // not 0: the one process that is listed. Most interrupts hit others, and end there
const volatile __u32 wakes_for_threads = 0;  // user space comes by itself too seldom to learn of new threads in time
const volatile __u32 our_tgid = 0;
const volatile __u32 with_waits = 0;
const volatile __u64 max_samples = 0;

// Written by user space.
__u64 sample_period_ns = 0;             // on average
__u64 timer_weights[ATYS_TIMERS] = {};  // what a sample of each timer of a CPU stands for
__u64 recording_since_ns = 0;
struct atys_only_process only = {};

// Read by user space.
struct atys_counters counters[ATYS_COUNTER_SLOTS] = {};

__u64 samples_taken = 0;
__u64 woken_for_thread_ns = 0;

struct stack_counts {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 16384);
  __type(key, struct atys_stack_key);
  __type(value, struct atys_stack_count);
};
struct stack_counts counts_a SEC(".maps");
struct stack_counts counts_b SEC(".maps");

// What the verifier is shown of them, so small because it is made only for that.
struct stack_counts_like {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 1);
  __type(key, struct atys_stack_key);
  __type(value, struct atys_stack_count);
};

// Slot 0 is the map in use. User space puts the other one there, which waits until no program uses the first, then empties
// it.
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
  __uint(max_entries, 1);
  __type(key, __u32);
  __array(values, struct stack_counts_like);
} counts SEC(".maps") = {.values = {(void*)&counts_a}};

struct {
  __uint(type, BPF_MAP_TYPE_RINGBUF);
  __uint(max_entries, 4194304);
} ring SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 16384);
  __type(key, __u32);
  __type(value, struct atys_process);
} processes SEC(".maps");

// Where the stack of a thread ends, learnt by user space: no more than that is copied.
struct {
  __uint(type, BPF_MAP_TYPE_LRU_HASH);
  __uint(max_entries, 8192);
  __type(key, __u32);
  __type(value, __u64);
} stack_ends SEC(".maps");

enum { ATYS_PAUSE_FOR_THREADS_NS = 20000000 };
enum { ATYS_BEFORE_COPY = ATYS_MAX_KERNEL_FRAMES * 8 + ATYS_MAX_WALKED * sizeof(struct atys_walked) };

struct scratch {
  // Of the interpreter's frame at hand, and from where it was read; not sent.
  char window[ATYS_CALLERS_WINDOW + ATYS_FRAME_WINDOW];
  __u64 window_start;
  __u64 window_end;
  struct atys_record record;
  char payload[ATYS_BEFORE_COPY + ATYS_MAX_COPY + ATYS_MAX_CONTEXT + 16];
};

// One per CPU (a per-CPU map cannot hold values of this size). A timer interrupt does not interrupt itself.
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct scratch);
} scratches SEC(".maps");

static void count(__u32 counter, __u64 amount) {
  if (counter < ATYS_COUNTERS)
    __sync_fetch_and_add(&counters[bpf_get_smp_processor_id() % ATYS_COUNTER_SLOTS].of[counter], amount);
}

static __u64 wakeup_flags(int is_urgent) {
  if (is_urgent) return BPF_RB_FORCE_WAKEUP;
  return bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) >= wakeup_bytes ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP;
}

// Hides from the compiler what it knows of a value, so that the bounds checks that the verifier must see stay in the
// program.
#define ATYS_CHECKED_BELOW(value) asm volatile("" : "+r"(value))

#include "numbers.bpf.h"

// The slot of the current thread of the only process; null: there are more processes.
static struct atys_thread* own_slot(__u32 tid) {
  if (!only_tgid) return 0;
  struct atys_thread* slot = &only.threads[tid % ATYS_THREAD_SLOTS];
  if (slot->tid != tid) {
    slot->tid = tid;
    slot->inner_tid = 0;
    slot->stack_end = 0;
    slot->state = 0;
  }
  return slot;
}

// The kernel knows it: arguments and environment lie beyond.
static __u64 first_stack_end(void) {
  struct task_struct* task = (struct task_struct*)bpf_get_current_task_btf();
  if (!only_tgid) return BPF_CORE_READ(task, mm, start_stack) + sizeof(__u64);
  __u64 memory =
      (__u64)BPF_CORE_READ(task, mm);  // read directly, it would cost the verifier a search in all types of the kernel
  if (only.memory != memory) {
    only.stack_end = BPF_CORE_READ(task, mm, start_stack) + sizeof(__u64);
    only.memory = memory;
  }
  return only.stack_end;
}

// Where the frames of the current thread end; 0: not known. Of one that is not the first of its process user space finds it
// out, once it has seen that there is one.
static __u64 stack_end(struct atys_record* record) {
  __u32 tid = record->tid;
  if (tid == record->tgid) return first_stack_end();
  struct atys_thread* slot = own_slot(tid);
  if (slot && slot->stack_end) return slot->stack_end;
  __u64* end = bpf_map_lookup_elem(&stack_ends, &tid);
  if (end && slot) slot->stack_end = *end;
  if (end) return *end;
  __u64 unknown = 0;
  bpf_map_update_elem(&stack_ends, &tid, &unknown, BPF_NOEXIST);
  record->walk_flags |= ATYS_NEW_THREAD;
  return 0;
}

// What changes from turn to turn is kept in a map, not here: the verifier would follow each value that it may take.
struct copying {
  struct scratch* scratch;
  __u64 at;  // in the payload
  __u64 wanted;
};

static long copy_page(__u64 index, void* context) {
  struct copying* copying = context;
  struct scratch* scratch = copying->scratch;
  __u64 done = scratch->record.copied_bytes;
  __u64 from = scratch->record.sp + done;
  __u64 at = copying->at;
  __u64 piece = ATYS_PAGE - (from & (ATYS_PAGE - 1));
  if (copying->wanted - done < piece) piece = copying->wanted - done;
  ATYS_CHECKED_BELOW(piece);
  ATYS_CHECKED_BELOW(done);
  ATYS_CHECKED_BELOW(at);
  if (done > ATYS_MAX_COPY - ATYS_PAGE || at > ATYS_BEFORE_COPY || piece == 0 || piece > ATYS_PAGE) return 1;
  if (bpf_probe_read_user(&scratch->payload[at + done], piece, (void*)from) != 0) return 1;
  scratch->record.copied_bytes = done + piece;
  return 0;
}

// Copies from `record->sp` on, page by page, until the end of the stack (0: not known), of our room, or of what is in
// memory.
static __u32 copy_stack(struct scratch* scratch, __u64 at, __u64 end) {
  __u64 sp = scratch->record.sp;
  struct copying copying = {.scratch = scratch, .at = at, .wanted = default_copy_bytes};
  // A stack pointer beyond the end is on another stack: of a coroutine, of a signal handler.
  if (end > sp) copying.wanted = end - sp < ATYS_MAX_COPY ? end - sp : ATYS_MAX_COPY;
  bpf_loop(ATYS_MAX_COPY / ATYS_PAGE + 1, copy_page, &copying, 0);
  return scratch->record.copied_bytes;
}

// Not for each of many: those that come shortly after are seen with the first.
static int is_urgent(struct atys_record* record) {
  if (record->walk_flags & ATYS_FLEETING) return 1;
  if (!wakes_for_threads || !(record->walk_flags & ATYS_NEW_THREAD)) return 0;
  if (record->time_ns - woken_for_thread_ns < ATYS_PAUSE_FOR_THREADS_NS) return 0;
  woken_for_thread_ns = record->time_ns;
  return 1;
}

static void send(struct scratch* scratch, __u32 payload) {
  __u64 size = sizeof(struct atys_record) + payload;
  if (size > sizeof(scratch->record) + sizeof(scratch->payload)) return;
  __u64 flags = wakeup_flags(is_urgent(&scratch->record));
  if (bpf_ringbuf_output(&ring, &scratch->record, size, flags) != 0) count(ATYS_RING_FULL, 1);
}

struct hashing {
  struct scratch* scratch;
  __u64 hash;
};

static long hash_word(__u64 index, void* context) {
  struct hashing* hashing = context;
  if (index >= ATYS_MAX_USER_FRAMES + (ATYS_BEFORE_COPY + ATYS_MAX_CONTEXT) / 8) return 1;
  hashing->hash = atys_mix(hashing->hash, ((__u64*)hashing->scratch->payload)[index]);
  return 0;
}

// A call for each word instead of a loop: checked once, not once per turn, which makes loading ten times faster.
static __u64 hash_words(struct scratch* scratch, __u32 number, __u64 seed) {
  struct hashing hashing = {scratch, seed};
  bpf_loop(number, hash_word, &hashing, 0);
  return hashing.hash;
}

// Counts the stack; true if it was not there before, so that its frames must be sent.
static int count_stack(struct atys_record* record) {
  __u32 zero = 0;
  struct atys_stack_key key = {record->tgid, record->tid, record->stack_hash};
  void* map = bpf_map_lookup_elem(&counts, &zero);
  if (!map) return 0;
  struct atys_stack_count* found = bpf_map_lookup_elem(map, &key);
  if (found) {
    __sync_fetch_and_add(&found->samples, 1);
    __sync_fetch_and_add(&found->weight, record->weight);
    return 0;
  }
  struct atys_stack_count first = {1, record->weight};
  if (bpf_map_update_elem(map, &key, &first, BPF_NOEXIST) != 0) {
    count(ATYS_COUNTERS_FULL, 1);
    return 0;
  }
  return 1;
}

static void read_registers(struct atys_record* record, struct task_struct* task) {
  struct pt_regs* regs = (struct pt_regs*)bpf_task_pt_regs(task);
  if (BPF_CORE_READ(task, mm) == 0 || !regs) {
    record->pc = record->sp = record->fp = record->lr = record->bx = 0;
    return;
  }
  record->pc = ATYS_REG_PC(regs);
  record->sp = ATYS_REG_SP(regs);
  record->fp = ATYS_REG_FP(regs);
  record->lr = ATYS_REG_LR(regs);
  record->bx = ATYS_REG_BX(regs);
}

// Who, and when. Null: no room.
static struct scratch* begin_record(void) {
  __u32 cpu = bpf_get_smp_processor_id();
  struct scratch* scratch = bpf_map_lookup_elem(&scratches, &cpu);
  if (!scratch) return 0;
  struct atys_record* record = &scratch->record;
  record->tgid = current_tgid();
  record->tid = current_tid();
  record->time_ns = bpf_ktime_get_ns();
  record->kernel_frames = 0;
  record->user_frames = 0;
  record->copied_bytes = 0;
  record->wait_state = 0;
  record->walked = 0;
  record->walk_flags = 0;
  record->context_bytes = 0;
  record->stack_hash = 0;
  bpf_get_current_comm(record->comm, sizeof(record->comm));
  return scratch;
}

// A thread that is in the kernel: its frames there, and the registers with which it came.
static void add_kernel_part(void* ctx, struct scratch* scratch) {
  long got = bpf_get_stack(ctx, scratch->payload, ATYS_MAX_KERNEL_FRAMES * 8, 0);
  scratch->record.kernel_frames = got > 0 && got <= ATYS_MAX_KERNEL_FRAMES * 8 ? (__u64)got / 8 : 0;
  read_registers(&scratch->record, bpf_get_current_task_btf());
}

static struct scratch* begin_kernel_record(void* ctx) {
  struct scratch* scratch = begin_record();
  if (scratch) add_kernel_part(ctx, scratch);
  return scratch;
}

// A thread that was interrupted outside of the kernel, as most are: the interrupt has brought its registers, and there is
// nothing else to look for.
static void take_registers(const __u64* words, struct atys_record* record) {
  record->pc = words[ATYS_WORD_PC];
  record->sp = words[ATYS_WORD_SP];
  record->fp = words[ATYS_WORD_FP];
  record->lr = ATYS_WORD_LR(words);
  record->bx = ATYS_WORD_BX(words);
}

static struct atys_process* process_of(__u32 tgid) {
  return only_tgid ? &only.process : bpf_map_lookup_elem(&processes, &tgid);
}

static __u32 mode_of(__u32 tgid) {
  struct atys_process* process = process_of(tgid);
  return process && process->mode ? process->mode : default_mode;
}

#include "context.bpf.h"
#include "walker.bpf.h"

// x86_64: a function without a frame of its own leaves the frame pointer of its caller in place, and a walk by frame
// pointers goes on with the caller's caller. Its return address is at sp. User space knows which functions are so; here a
// word that is no code is left out, for each different one would make a stack of its own.
static void read_leaf_caller(struct atys_record* record) {
  struct atys_process* process = process_of(record->tgid);
  __u64 word = 0;
  if (!ATYS_CALLER_IS_ON_STACK || !process || !process->code_end || !record->sp) return;
  if (bpf_probe_read_user(&word, sizeof(word), (void*)record->sp) != 0) return;
  if (word > process->code_begin && word < process->code_end) record->lr = word;
}

// Adds the user stack, by its process's mode; returns the bytes of the payload so far.
static __u32 add_user_stack(void* ctx, struct scratch* scratch, __u32 mode) {
  struct atys_record* record = &scratch->record;
  if (mode == ATYS_WITHOUT) {
    record->kernel_frames = 0;
    return 0;
  }
  __u64 at = record->kernel_frames * 8;
  if (at > ATYS_MAX_KERNEL_FRAMES * 8) return 0;
  if (record->sp != 0) at += walk_interpreter(scratch, at);
  ATYS_CHECKED_BELOW(at);
  if (at > ATYS_BEFORE_COPY) return 0;
  if (mode == ATYS_BY_COPY && record->sp != 0) {
    return at + copy_stack(scratch, at, stack_end(record));
  }
  read_leaf_caller(record);
  long got = bpf_get_stack(ctx, &scratch->payload[at], ATYS_MAX_USER_FRAMES * 8, BPF_F_USER_STACK);
  __u32 user_bytes = got > 0 && got <= ATYS_MAX_USER_FRAMES * 8 ? got : 0;
  record->user_frames = user_bytes / 8;
  return at + user_bytes;
}

// Adds all that is known of the thread at this moment; returns the bytes of the whole payload.
static __u32 add_thread(void* ctx, struct scratch* scratch, __u32 mode) {
  __u32 payload = add_user_stack(ctx, scratch, mode);
  return mode == ATYS_WITHOUT ? payload : add_context(scratch, payload);
}

static int is_target(__u32 tgid) {
  if (only_tgid) return tgid == only_tgid && only.is_listed;
  if (tgid == 0 || tgid == our_tgid) return 0;
  return !only_listed_processes || bpf_map_lookup_elem(&processes, &tgid) != 0;
}

// A sample of the current thread, whose weight is known, with its stack.
static void hand_over(void* ctx, struct scratch* scratch, __u32 mode) {
  struct atys_record* record = &scratch->record;
  __u32 payload = add_thread(ctx, scratch, mode);
  if (mode == ATYS_BY_COPY && record->sp != 0) {
    record->type = ATYS_STACK_COPY;
    send(scratch, payload);
    return;
  }
  record->type = ATYS_COUNTED_STACK;
  record->stack_hash = hash_words(scratch, payload / 8, mode == ATYS_WITHOUT ? 0 : record->lr);
  if (count_stack(record)) send(scratch, payload);
}

static int is_over_limit(void) {
  if (!max_samples || __sync_fetch_and_add(&samples_taken, 1) < max_samples) return 0;
  count(ATYS_OVER_LIMIT, 1);
  return 1;
}

// Which of a CPU's timers it is: their periods differ in the lowest bits. The kernel may go on telling the first period
// after a change, so these stay what they are.
static __u64 weight_of(__u64* ctx) { return timer_weights[ctx[ATYS_WORD_PERIOD] % ATYS_TIMERS]; }

SEC("perf_event")
int sample(__u64* ctx) {
  __u32 tgid = current_tgid();
  if (!is_target(tgid) || is_over_limit()) return 0;
  struct scratch* scratch = begin_record();
  if (!scratch) return 0;
  struct atys_record* record = &scratch->record;
  if (ATYS_IS_USER(ctx))
    take_registers(ctx, record);
  else
    add_kernel_part(ctx, scratch);
  record->weight = weight_of(ctx);
  count(ATYS_SAMPLES, 1);
  count(ATYS_WEIGHT, record->weight);
  hand_over(ctx, scratch, mode_of(tgid));
  return 0;
}

#include "events.bpf.h"
#include "waits.bpf.h"

// A process that a sampled one starts is sampled too, where the target says so. These two are raw tracepoints, which the
// loader attaches without the kernel's types.
SEC("raw_tp/sched_process_fork")
int on_fork(__u64* ctx) {
  struct task_struct* parent = (struct task_struct*)ctx[0];
  struct task_struct* child = (struct task_struct*)ctx[1];
  __u32 parent_tgid = tgid_of(parent);
  __u32 child_tgid = tgid_of(child);
  if (parent_tgid == child_tgid) return 0;
  struct atys_process* process = bpf_map_lookup_elem(&processes, &parent_tgid);
  if (!process || !process->children) return 0;
  struct atys_process inherited = *process;
  bpf_map_update_elem(&processes, &child_tgid, &inherited, BPF_ANY);
  // Its memory is a copy of its parent's: so is whatever there is to be found in it.
  struct atys_walker* walker = bpf_map_lookup_elem(&walkers, &parent_tgid);
  if (walker) bpf_map_update_elem(&walkers, &child_tgid, walker, BPF_ANY);
  return 0;
}

// What a thread leaves: nobody can look it up any more. One that finds the ring full is as if it had not been told.
static void tell_end(struct task_struct* task, __u32 tgid, __u32 tid) {
  if (!is_target(tgid)) return;
  struct atys_record end = {.type = ATYS_THREAD_END, .tgid = tgid, .tid = tid, .time_ns = bpf_ktime_get_ns()};
  end.weight = BPF_CORE_READ(task, se.sum_exec_runtime);
  end.stack_hash = BPF_CORE_READ(task, start_time);
  if (with_waits) end.pc = waited_ns_of(bpf_get_current_task_btf());
  if (bpf_ringbuf_output(&ring, &end, sizeof(end), wakeup_flags(0)) != 0) count(ATYS_LOST_ENDS, 1);
}

// The last thread of a process is gone: its number may soon be another's.
SEC("raw_tp/sched_process_exit")
int on_exit(__u64* ctx) {
  struct task_struct* task = (struct task_struct*)ctx[0];
  __u32 tgid = tgid_of(task);
  if (only_tgid && tgid != only_tgid) return 0;
  __u32 tid = tid_of(task);
  tell_end(task, tgid, tid);
  bpf_map_delete_elem(&stack_ends, &tid);
  bpf_map_delete_elem(&thread_states, &tid);
  struct atys_thread* slot = &only.threads[tid % ATYS_THREAD_SLOTS];
  if (slot->tid == tid) slot->tid = 0;
  if (BPF_CORE_READ(task, signal, live.counter) > 0) return 0;
  only.is_listed = only.has_walker = only.has_place = 0;
  bpf_map_delete_elem(&processes, &tgid);
  bpf_map_delete_elem(&walkers, &tgid);
  bpf_map_delete_elem(&contexts, &tgid);
  return 0;
}

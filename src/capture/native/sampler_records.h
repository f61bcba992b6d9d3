/* SPDX-License-Identifier: Apache-2.0 OR (MIT OR GPL-2.0-only) */
/* What the eBPF sampler and user space tell each other; included by both, so plain C. */
#ifndef ATYS_SAMPLER_RECORDS_H
#define ATYS_SAMPLER_RECORDS_H

#include <linux/types.h>

#include "capture/native/context_records.h"
#include "capture/native/walker_records.h"

enum {
  ATYS_MAX_KERNEL_FRAMES = 96,
  ATYS_MAX_USER_FRAMES = 127, /* perf_event_max_stack */
  ATYS_PAGE = 4096,
  ATYS_MAX_COPY = 131072,
  ATYS_COMM = 16,
};

enum atys_record_type {
  ATYS_COUNTED_STACK =
      1,               /* first sight of a stack that is counted in the kernel from now on; call chain by frame pointers */
  ATYS_STACK_COPY = 2, /* one sample with a copy of the top of the user stack, to be unwound in user space */
  ATYS_WAIT_BEGIN = 3, /* a thread leaves the CPU; its stack, in case that the wait will matter */
  ATYS_WAIT_END = 4,   /* that wait is over and matters; no stack */
  ATYS_WAIT = 5,       /* a wait that is over and matters, with the stack after it: none was taken before */
  ATYS_WAKER = 6,      /* who ended a wait that matters */
  ATYS_CODE = 7,       /* code of an interpreter, seen for the first time: atys_code; the samples that it is in come after */
  ATYS_WAIT_SO_FAR = 8, /* a wait that goes on, cut here; with a stack if none was taken when it began */
  ATYS_THREAD_END = 9,  /* a thread is over; `weight` is all CPU time that it had, `stack_hash` when it began, `pc` how long
                           it  waited since the last cut */
};

/* How to take the user stack of a process. */
enum atys_stack_mode {
  ATYS_BY_FRAME_POINTER = 1,
  ATYS_BY_COPY = 2,
  ATYS_WITHOUT = 3, /* its time is counted, its stacks come from elsewhere */
};

/* Value of the map `processes`: there is an entry for each process that is to be sampled (or all are). */
struct atys_process {
  __u32 mode;       /* atys_stack_mode; 0: the default of this machine */
  __u32 children;   /* sample processes that it starts as well */
  __u64 code_begin; /* ATYS_BY_FRAME_POINTER: its own code; 0: not known */
  __u64 code_end;
};

/* What lasts as long as a thread, so that it is looked for once. A slot is taken over by the next thread that has the same
 * place; two CPUs may do that at once, so a state that is found here is checked like any other, and an end only says how
 * much to copy. */
struct atys_thread {
  __u32 tid;       /* 0: a free slot */
  __u32 inner_tid; /* as its own pid namespace has it */
  __u64 stack_end; /* 0: not known yet */
  __u64 state;     /* of the interpreter; 0: not known yet */
};
enum { ATYS_THREAD_SLOTS = 64 };

/* The target, where it is one process: a search in a map at each sample would cost more than the rest, for little of a map
 * is in a cache after ten milliseconds of other work. User space writes it, and what it calls present last. */
struct atys_only_process {
  struct atys_process process;
  __u32 is_listed;
  __u32 has_walker;
  __u32 has_place;
  __u32 reserved;
  __u64 memory;    /* the kernel's record of its memory, for which `stack_end` is known */
  __u64 stack_end; /* of its first thread */
  struct atys_walker walker;
  struct atys_context_place place;
  struct atys_thread threads[ATYS_THREAD_SLOTS];
};

/* In front of each record in the ring; then kernel frames, then those of an interpreter (atys_walked), then user frames or
 * copied bytes, then the context. */
struct atys_record {
  __u32 type;
  __u32 tgid;
  __u32 tid;
  __u16 kernel_frames;
  __u16 user_frames;
  __u32 copied_bytes;  /* of the user stack, from `sp` on */
  __u32 wait_state;    /* ATYS_WAIT: task state when it left the CPU */
  __u16 walked;        /* frames of an interpreter */
  __u16 walk_flags;    /* atys_walk_flags */
  __u32 context_bytes; /* of what the thread says of its work: after all else, at the next word */
  __u64 time_ns;       /* CLOCK_MONOTONIC */
  __u64 weight;        /* what this sample stands for: the period, or how long the wait was */
  __u64 stack_hash;    /* ATYS_COUNTED_STACK: key of its counter; waits: ties together what belongs to one wait */
  __u64 pc;            /* user registers */
  __u64 sp;
  __u64 fp;
  __u64 lr; /* x86_64, by frame pointers: the word at sp if it points into the code of the process, else 0 */
  __u64 bx;
  char comm[ATYS_COMM];
};

/* A CPU has several timers whose periods differ by some per cent: samples at even distances fall into step with whatever in
 * the target takes as long. */
enum { ATYS_TIMERS = 4 };

/* ATYS_CODE. The pieces that could not be copied have no bytes. */
struct atys_code {
  struct atys_record head; /* of it: type, tgid, time_ns, stack_hash: the cookie, pc: the address */
  struct {
    __u64 address;
    __u64 bytes;
  } copied[ATYS_PIECES];
  char pieces[ATYS_PIECES][ATYS_PIECE_BYTES];
};

/* ATYS_WAIT_SO_FAR, as the iterator writes it, for each thread that has waited. Without a weight there is no wait that goes
 * on and matters; with one but without a stack_hash it has the registers and the frames in the kernel of a thread that
 * stands still. */
struct atys_cut {
  struct atys_record record;
  __u64 waited_ns; /* since the last cut, in all */
  __u64 kernel_frames[ATYS_MAX_KERNEL_FRAMES];
};

/* wait_state of a thread that did not give the CPU up itself. */
enum { ATYS_PREEMPTED = 1u << 31 };

/* What is kept for each thread that waits. */
struct atys_wait {
  __u64 since_ns;     /* 0: it runs */
  __u64 threshold_ns; /* the wait matters if it lasts as long */
  __u64 period_ns;
  __u64 recent_ns; /* the longest of the latest waits, fading */
  __u64 weight_ns; /* of a wait that is over and whose stack is still to be taken; 0: none */
  __u64 pair;
  __u64 waited_ns; /* since the last cut: all waits, also those that no record stands for */
  __u32 state;
  __u32 has_stack; /* taken when it left the CPU */
};

/* Key and value of the counters. */
struct atys_stack_key {
  __u32 tgid;
  __u32 tid;
  __u64 stack_hash;
};
struct atys_stack_count {
  __u64 samples;
  __u64 weight;
};

enum atys_counter {
  ATYS_SAMPLES,       /* taken */
  ATYS_WEIGHT,        /* what they stand for, in all */
  ATYS_RING_FULL,     /* samples that found no room in the ring */
  ATYS_COUNTERS_FULL, /* stacks that found no free counter */
  ATYS_OVER_LIMIT,    /* after max_samples */
  ATYS_WAITS,         /* that ended, all of them */
  ATYS_WAIT_NS,       /* and how long they were */
  ATYS_CAPPED_WAITS,  /* that matter, but whose stack is not known: the cap on records, or no system call to take it at */
  ATYS_CAPPED_WAIT_NS,
  ATYS_EVENTS,    /* that happened in the target, all of them */
  ATYS_LOST_ENDS, /* of threads, that found no room in the ring */
  ATYS_COUNTERS,
};

/* CPUs share slots where there are more of them. */
enum { ATYS_COUNTER_SLOTS = 64 };
struct atys_counters {
  __u64 of[16]; /* by atys_counter; as large as what CPUs take from each other's caches */
};

#endif

/* SPDX-License-Identifier: Apache-2.0 OR (MIT OR GPL-2.0-only) */
/* What the eBPF sampler and user space tell each other; included by both, so plain C. */
#ifndef ATYS_SAMPLER_RECORDS_H
#define ATYS_SAMPLER_RECORDS_H

#include <linux/types.h>

enum {
  ATYS_MAX_KERNEL_FRAMES = 96,
  ATYS_MAX_USER_FRAMES = 127, /* perf_event_max_stack */
  ATYS_PAGE = 4096,
  ATYS_MAX_COPY = 65536,
  ATYS_COMM = 16,
};

enum atys_record_type {
  ATYS_COUNTED_STACK =
      1,               /* first sight of a stack that is counted in the kernel from now on; call chain by frame pointers */
  ATYS_STACK_COPY = 2, /* one sample with a copy of the top of the user stack, to be unwound in user space */
  ATYS_WAIT = 3,       /* a thread waited; the stack where it did, as a copy or a chain */
  ATYS_WAKER = 4,      /* who ended that wait */
};

/* How to take the user stack of a process. */
enum atys_stack_mode { ATYS_BY_FRAME_POINTER = 1, ATYS_BY_COPY = 2 };

/* Value of the map `processes`: there is an entry for each process that is to be sampled (or all are). */
struct atys_process {
  __u32 mode;     /* atys_stack_mode; 0: the default of this machine */
  __u32 children; /* sample processes that it starts as well */
};

/* In front of each record in the ring; then kernel frames, then user frames or copied bytes. */
struct atys_record {
  __u32 type;
  __u32 tgid;
  __u32 tid;
  __u16 kernel_frames;
  __u16 user_frames;
  __u32 copied_bytes; /* of the user stack, from `sp` on */
  __u32 wait_state;   /* ATYS_WAIT: task state when it left the CPU */
  __u64 time_ns;      /* CLOCK_MONOTONIC */
  __u64 weight;       /* what this sample stands for: the period, or how long the wait was */
  __u64 stack_hash;   /* ATYS_COUNTED_STACK: key of its counter; waits: ties waker and waiter together */
  __u64 pc;           /* user registers */
  __u64 sp;
  __u64 fp;
  __u64 lr;
  __u64 bx;
  char comm[ATYS_COMM];
};

/* wait_state of a thread that did not give the CPU up itself. */
enum { ATYS_PREEMPTED = 1u << 31 };

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
  ATYS_CAPPED_WAITS,  /* not recorded: more of them in this second than are allowed */
  ATYS_CAPPED_WAIT_NS,
  ATYS_COUNTERS,
};

#endif

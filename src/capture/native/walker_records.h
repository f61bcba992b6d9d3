/* SPDX-License-Identifier: Apache-2.0 OR (MIT OR GPL-2.0-only) */
/* How the sampler in the kernel finds the frames of an interpreter in the memory of the thread that it interrupted: a table,
 * so that a further interpreter needs no further program. Included by both sides, so plain C.
 *
 *   state of the thread ──top──► innermost frame ──next──► … ──next──► 0
 *                                  ├ code      what runs
 *                                  ├ position  where in it
 *                                  └ marker    a few bits of the interpreter's own
 */
#ifndef ATYS_WALKER_RECORDS_H
#define ATYS_WALKER_RECORDS_H

#include <linux/types.h>

enum {
  ATYS_MAX_WALKED = 512,
  ATYS_MAX_STEPS = 4,
  ATYS_FRAME_WINDOW = 128,    /* bytes of a frame that are read */
  ATYS_CALLERS_WINDOW = 384,  /* and before it, where callers lie there */
  ATYS_STACKED_WITHIN = 1024, /* no farther from what it called is a frame that lies beside it */
};

/* How it is known that a state is of the thread at hand. */
enum atys_identity {
  ATYS_ANY_THREAD = 0,    /* it is not: there is one state, and whoever runs has it */
  ATYS_MAIN_THREAD = 1,   /* only the first thread of a process has one */
  ATYS_NATIVE_THREAD = 2, /* the state holds the thread's number, as its own pid namespace has it */
};

/* A chain of pointers: at = read(at + step) for each step. */
struct atys_path {
  __u32 count;
  __u32 steps[ATYS_MAX_STEPS];
};

/* Value of the map `walkers`, by process. */
struct atys_walker {
  __u64 holder; /* from here `holder_path` leads to the state of the thread that runs the interpreter; 0: only
                   `thread_states` */
  struct atys_path holder_path;
  __u32 identity;                 /* atys_identity */
  struct atys_path identity_path; /* from the state to what holds the number, which is the __u32 at `identity_at` there */
  __u32 identity_at;
  struct atys_path top; /* from the state to the innermost frame */
  __u32 window;         /* bytes of a frame to read, at most ATYS_FRAME_WINDOW */
  __s32 window_at;      /* where they begin, relative to the frame */
  /* Offsets into the window. */
  __u32 next;
  __u32 code;
  __u32 position;
  __u32 position_bytes; /* 4 or 8 */
  __u32 marker;
  __u32 marker_bytes;   /* 0, 1 or 2 */
  __s32 stride;         /* not 0: frames lie side by side, and this is from one to the next */
  struct atys_path end; /* with a stride: from the state to the address where the walk ends */
  /* Code in which a register (r15, x28) has the position of the innermost frame, and its memory may not; 0, 0: there is none
   */
  __u64 live_start;
  __u64 live_end;
  __u32 is_stacked;  /* callers mostly lie shortly before what they call: they are read together */
  __u32 is_fleeting; /* what runs is freed within milliseconds: samples are to be read at once */
};

/* What became of a walk. */
enum atys_walk_flags {
  ATYS_WALKED = 1,        /* there is a walker for the process */
  ATYS_UNKNOWN_STATE = 2, /* but nobody knows the state of this thread */
  ATYS_WALK_CUT = 4,      /* memory that could not be read, or too many frames */
  ATYS_IS_HOLDER = 8,     /* it is the thread that runs the interpreter: holds its lock */
  ATYS_FLEETING = 16,     /* to be read at once */
  ATYS_NEW_THREAD = 32,   /* seen for the first time: there are things to be found out about it */
  ATYS_OUTSIDE = 64,      /* of a process that is not of the target: its own frames, and nothing else of it */
};

/* One frame as the sampler hands it over. */
struct atys_walked {
  __u64 code; /* marker in the two highest bytes */
  __u64 position;
};

#endif

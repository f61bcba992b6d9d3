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
  ATYS_FRAME_WINDOW = 128, /* bytes of a frame that are read */
};

/* How the state of the thread at hand is known from that of another. */
enum atys_identity {
  ATYS_NO_IDENTITY = 0,    /* there is one state for the whole process */
  ATYS_NATIVE_THREAD = 1,  /* the thread's number, as its own pid namespace has it */
  ATYS_THREAD_POINTER = 2, /* pthread_t */
};

/* A chain of pointers: at = read(at + step) for each step but the last, which is only added. */
struct atys_path {
  __u32 count;
  __u32 steps[ATYS_MAX_STEPS];
};

/* Value of the map `walkers`, by process. */
struct atys_walker {
  __u64 holder; /* where the address of the state of the thread that runs the interpreter is; 0: only `thread_states` */
  struct atys_path holder_path; /* from there to the state itself */
  __u32 identity;               /* atys_identity */
  __u32 identity_at;            /* in the state */
  __u64 identity_offset;        /* what to add to the thread pointer register to get pthread_t */
  struct atys_path top;         /* from the state to the address of the innermost frame */
  __u32 window;                 /* bytes of a frame to read, at most ATYS_FRAME_WINDOW */
  __u32 window_at;              /* where they begin, relative to the frame */
  /* Offsets into the window. */
  __u32 next;
  __u32 code;
  __u32 position;
  __u32 position_bytes; /* 4 or 8 */
  __u32 marker;
  __u32 marker_bytes;    /* 0, 1 or 2 */
  __s32 stride;          /* not 0: frames lie side by side, and this is from one to the next; `last` is the outermost */
  struct atys_path last; /* from the state to the address of the frame that ends the walk */
};

/* One frame as the sampler hands it over. */
struct atys_walked {
  __u64 code; /* marker in the two highest bytes */
  __u64 position;
};

#endif

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

/* Code is freed and its memory used again, in many programs within milliseconds. So what runs is known by its address and by
 * a cookie: a number made of words of the code object, and of texts that it points to, in the moment of the sample. Whoever
 * looks at the object later and gets another number looks at other code. */
enum {
  ATYS_COOKIE_WORDS = 12,
  ATYS_COOKIE_TEXTS = 2,
  ATYS_TEXT_WORDS = 8, /* the end of a text, which tells paths apart better than their beginning */
  ATYS_NO_KIND = 256,
};

struct atys_cookie_text {
  __u32 pointer;   /* to it, in the code object; 0: there is no such text */
  __u32 length_at; /* in the text's own object: a word, in bytes */
  __u32 text_at;
};

struct atys_cookie {
  __u32 at;    /* of the words, in the code object */
  __u32 words; /* so many, none of which changes while it lives; 0: code has no cookie */
  struct atys_cookie_text texts[ATYS_COOKIE_TEXTS];
  __u32 short_kind; /* objects whose first byte is this have the first text only; ATYS_NO_KIND: all have both */
};

/* What the name of code is made of, copied in the moment of the first sample of it: it may be gone when user space comes.
 * The first piece is of the code object itself; each of the others is where a pointer in an earlier one leads. */
enum { ATYS_PIECES = 5, ATYS_PIECE_BYTES = 256 };
struct atys_piece {
  __u16 of;      /* which piece holds the pointer */
  __u16 pointer; /* where in it */
  __u16 bytes;   /* to copy; 0: there is no such piece */
  __u16 reserved;
};

/* Texts are dear to read, and code that has lasted for a while goes on to: as long as its words are what they were, so is
 * its cookie. User space says which; those that would have the same place take turns. */
struct atys_lasting {
  __u64 code;  /* and process, as atys_lasting_key puts them together; 0: none */
  __u64 words; /* as mixed, without texts */
  __u64 cookie;
};
enum { ATYS_LASTING = 4096 };

#define ATYS_COOKIE_SEED 0x243f6a8885a308d3ull
#define ATYS_NO_TEXT (~0ull) /* in the place of one that is not there, or cannot be read */

static inline __u64 atys_mix(__u64 hash, __u64 word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
  return hash ^ (hash >> 29);
}

static inline __u64 atys_lasting_key(__u64 code, __u32 tgid) { return code ^ (__u64)tgid << 40; }
static inline __u32 atys_lasting_place(__u64 key) { return (key ^ key >> 12 ^ key >> 40) >> 4 & (ATYS_LASTING - 1); }

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
  struct atys_cookie cookie;
  struct atys_piece pieces[ATYS_PIECES];
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

/* Of a word that holds the address of code: the address, and low bits that say how it is counted. */
#define ATYS_ADDRESS 0xffffffffffffull
#define ATYS_CODE_TAGS 7ull

/* One frame as the sampler hands it over. */
struct atys_walked {
  __u64 code; /* marker in the two highest bytes */
  __u64 position;
  __u64 cookie; /* of the code; 0: it could not be read, or has none */
};

#endif

/* SPDX-License-Identifier: Apache-2.0 OR (MIT OR GPL-2.0-only) */
/* What a thread says of its work at hand (a trace, a span, labels), where it says it, and how the sampler hands it over.
 * Included by both sides, so plain C. */
#ifndef ATYS_CONTEXT_RECORDS_H
#define ATYS_CONTEXT_RECORDS_H

#include <linux/types.h>

enum {
  ATYS_CONTEXT_HEAD = 28,     /* OpenTelemetry's record: trace id, span id, valid, flags, size of the attributes */
  ATYS_CONTEXT_VALID_AT = 24, /* 1: what is there may be read */
  ATYS_CONTEXT_SIZE_AT = 26,  /* __u16 */
  ATYS_MAX_CONTEXT = 640,     /* of the whole record, as the specification recommends */
  ATYS_MAX_GO_LABELS = 10,
  ATYS_GO_LABEL = 64, /* bytes that a label takes in a record */
  ATYS_GO_KEY = 22,
  ATYS_GO_VALUE = 40,
};

enum atys_context_kind {
  ATYS_NO_CONTEXT = 0,
  ATYS_AT_THREAD_POINTER = 1, /* the variable is at the thread pointer plus `offset` */
  ATYS_BY_MODULE = 2,         /* it is at `offset` in the block of the module `module` */
  ATYS_GO_LABELS = 3, /* labels of the goroutine; the variable that holds it is at the thread pointer plus `offset` */
};

/* Value of the map `contexts`, by process. */
struct atys_context_place {
  __u32 kind; /* atys_context_kind */
  __s32 module;
  __s64 offset;
  __u32 go_m; /* offsets in Go's structures */
  __u32 go_curg;
  __u32 go_labels;
  __u32 reserved;
};

/* ATYS_GO_LABELS: a label, cut to what fits; the lengths are those of the whole texts, at most 255. */
struct atys_go_label {
  __u8 key_length;
  __u8 value_length;
  char key[ATYS_GO_KEY];
  char value[ATYS_GO_VALUE];
};

#endif

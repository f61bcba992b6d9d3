// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Events that are no clock: page faults, context switches, tracepoints. Each one of the target's is counted; some are
// sampled, about as many in a second as samples on the CPU would be, whatever the number of events. Included by
// sampler.bpf.c.
//
// A sample stands for all events of its CPU since the last one, so that nothing is lost or made up. Which event is sampled
// is told by counting, from a number drawn at random: by time, the first of a burst would be all that is ever seen.
#ifndef ATYS_EVENTS_BPF_H
#define ATYS_EVENTS_BPF_H

enum {
  ATYS_SAMPLES_OF_A_GAP = 8, /* before it is doubled, so that a run of milliseconds has its hundred samples */
  ATYS_LONG_PERIODS = 4,     /* without a sample: the gap was made for more events than there are now */
};

struct event_gap {
  __u64 pending;  /* events since the last sample */
  __u64 gap;      /* from one sample to the next, on average */
  __u64 left;     /* until the next */
  __u64 samples;  /* in quick succession */
  __u64 since_ns; /* the last sample, or the last change of the gap */
};
/* CPUs share one where there are more of them. What two make of it at once is off by an event or two, which the count of all
 * of them puts right. */
struct event_gap event_gaps[ATYS_COUNTER_SLOTS] = {};

static void draw(struct event_gap* gap) { gap->left = 1 + bpf_get_prandom_u32() % (2 * gap->gap - 1); }

static void adapt_gap(struct event_gap* gap, __u64 now) {
  __u64 passed = now - gap->since_ns;
  gap->since_ns = now;
  if (gap->gap == 0) gap->gap = 1;
  if (passed < sample_period_ns / 2) {
    if (++gap->samples < ATYS_SAMPLES_OF_A_GAP || gap->gap > (1u << 30)) return;
    gap->gap *= 2;
  } else if (passed > sample_period_ns * 2 && gap->gap > 1) {
    gap->gap /= 2;
  }
  gap->samples = 0;
}

// How many events it stands for, if this one is sampled; 0: it is not.
static __u64 pick_event(struct event_gap* gap) {
  __u64 now = bpf_ktime_get_ns();
  gap->pending++;
  if (gap->left > 1) {
    gap->left--;
    if (now - gap->since_ns < sample_period_ns * ATYS_LONG_PERIODS) return 0;
    gap->gap = gap->gap > 8 ? gap->gap / 8 : 1;
    gap->since_ns = now;
    gap->samples = 0;
    if (gap->left > gap->gap) draw(gap);
    return 0;
  }
  __u64 stands_for = gap->pending;
  gap->pending = 0;
  adapt_gap(gap, now);
  draw(gap);
  return stands_for;
}

static struct scratch* begin_event(void) {
  __u32 tgid = current_tgid();
  if (!is_target(tgid)) return 0;
  count(ATYS_EVENTS, 1);
  __u64 stands_for = pick_event(&event_gaps[bpf_get_smp_processor_id() % ATYS_COUNTER_SLOTS]);
  if (!stands_for || is_over_limit()) return 0;
  struct scratch* scratch = begin_record();
  if (!scratch) return 0;
  scratch->record.weight = stands_for;
  count(ATYS_SAMPLES, 1);
  return scratch;
}

SEC("perf_event")
int on_event(__u64* ctx) {
  struct scratch* scratch = begin_event();
  if (!scratch) return 0;
  if (ATYS_IS_USER(ctx))
    take_registers(ctx, &scratch->record);
  else
    add_kernel_part(ctx, scratch);
  hand_over(ctx, scratch, mode_of(scratch->record.tgid));
  return 0;
}

SEC("tracepoint")
int on_tracepoint(__u64* ctx) {
  struct scratch* scratch = begin_event();
  if (!scratch) return 0;
  add_kernel_part(ctx, scratch);
  hand_over(ctx, scratch, mode_of(scratch->record.tgid));
  return 0;
}

#endif
